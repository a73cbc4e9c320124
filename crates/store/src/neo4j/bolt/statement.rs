//! A statement and its parameters.

use super::Packer;

const RUN: u8 = 0x10;

/// Cypher that stands in the program's text, and what is to be put into it. Nothing else can be sent: no Cypher is made
/// of what anybody says.
#[derive(Debug)]
pub(in crate::neo4j) struct Statement {
    cypher: &'static str,
    /// What to say instead when it was said before and nobody knows whether it was done.
    again: Option<&'static str>,
    count: usize,
    parameters: Packer,
}

impl Statement {
    pub(in crate::neo4j) fn new(cypher: &'static str) -> Statement {
        Statement {
            cypher,
            again: None,
            count: 0,
            parameters: Packer::default(),
        }
    }

    /// The same with other words, for whoever has to say it again: these must change nothing where it was done already.
    pub(in crate::neo4j) fn when_tried_again(mut self, cypher: &'static str) -> Statement {
        self.again = Some(cypher);
        self
    }

    /// From now on it is said in the words for another try.
    pub(in crate::neo4j) fn try_again(&mut self) {
        self.cypher = self.again.take().unwrap_or(self.cypher);
    }

    /// A parameter, packed by `value`.
    pub(in crate::neo4j) fn with(mut self, name: &str, value: impl FnOnce(&mut Packer)) -> Statement {
        self.count += 1;
        self.parameters.text(name);
        value(&mut self.parameters);
        self
    }

    pub(in crate::neo4j) fn int(self, name: &str, value: i64) -> Statement {
        self.with(name, |packer| packer.int(value))
    }

    pub(in crate::neo4j) fn text(self, name: &str, text: &str) -> Statement {
        self.with(name, |packer| packer.text(text))
    }

    pub(in crate::neo4j) fn opt_text(self, name: &str, text: Option<&str>) -> Statement {
        self.with(name, |packer| packer.opt_text(text))
    }

    pub(in crate::neo4j) fn ints(self, name: &str, values: &[i64]) -> Statement {
        self.with(name, |packer| packer.ints(values))
    }

    /// A parameter that is a list of rows, each of which was packed before.
    pub(in crate::neo4j) fn rows<'a>(self, name: &str, rows: impl ExactSizeIterator<Item = &'a Packer>) -> Statement {
        self.with(name, |packer| {
            packer.list(rows.len());
            for row in rows {
                packer.packed(row);
            }
        })
    }

    /// The message that sends it.
    pub(super) fn message(&self) -> Packer {
        let mut message = Packer::default();
        message.structure(RUN, 3);
        self.fields(&mut message);
        message.map(0);
        message
    }

    /// The first two fields of that message.
    fn fields(&self, message: &mut Packer) {
        message.text(self.cypher);
        message.map(self.count);
        message.packed(&self.parameters);
    }
}
