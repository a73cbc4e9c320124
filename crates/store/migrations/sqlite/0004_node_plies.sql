-- A node's distance from the initial position along moves that some collection has, and its clock along the chain of nearest
-- parents. A position's own may be smaller: what was imported leads there too, and so do moves that no build has any more.
ALTER TABLE nodes ADD COLUMN ply INTEGER NOT NULL DEFAULT 0;
ALTER TABLE nodes ADD COLUMN halfmove INTEGER NOT NULL DEFAULT 0;

UPDATE nodes SET ply = p.ply, halfmove = p.halfmove FROM positions p WHERE p.id = nodes.id;
