//! The columns that a footer describes, gone through before they are read.
//!
//! They come as a list, each group before what it consists of. Their reader makes room for as many as a group claims, and goes into groups within groups
//! by calling itself: either may end the process, for which nothing can catch it.
//!
//! As in heads of pages, two readings of the same bytes must not come to different columns. So known fields of another type than theirs are refused.

use super::{
    header::{BINARY, END, FALSE, INT32, INT64, STRUCT, TRUE},
    packed::Bytes,
};

/// Groups within groups. Lists of lists take two for each.
const DEEPEST: usize = 100;

/// What the names may take that lead to columns. Each column has its own copy of them, so one long name of a group becomes many.
const LONGEST_PATHS: u64 = 64 << 20;

/// A name takes so much besides its letters: its place, and what is known of who bears it.
const NAME: u64 = 256;

/// Structs within the description of a column are units within times within logical types, which are empty ones.
const DEEPEST_STRUCT: u32 = 8;

/// The footer's field that has the columns.
const COLUMNS: i16 = 2;

const BYTE: u8 = 3;
const INT16: u8 = 4;
const DOUBLE: u8 = 7;
const LIST: u8 = 9;

/// A list of more has its length behind its head.
const LONG: u8 = 15;

/// Whose fields they are.
#[derive(Clone, Copy)]
enum Of {
    Column,
    Logical,
    Decimal,
    Time,
    Unit,
    /// And the version of a variant.
    Integer,
    Geometry,
    /// What is passed over by its types by everybody.
    Other,
}

impl Of {
    /// What a field of it describes.
    fn within(self, number: i16) -> Of {
        match (self, number) {
            (Of::Column, 10) => Of::Logical,
            (Of::Logical, 5) => Of::Decimal,
            (Of::Logical, 7 | 8) => Of::Time,
            (Of::Logical, 10 | 16) => Of::Integer,
            (Of::Logical, 17 | 18) => Of::Geometry,
            (Of::Time, 2) => Of::Unit,
            _ => Of::Other,
        }
    }

    /// The type as which a field is read by its number, whatever type it says it has.
    fn read_as(self, number: i16) -> Option<u8> {
        match (self, number) {
            (Of::Column, 1..=3 | 5..=9) | (Of::Decimal, 1 | 2) | (Of::Geometry, 2) => Some(INT32),
            (Of::Column, 4) | (Of::Geometry, 1) => Some(BINARY),
            (Of::Column, 10) | (Of::Logical, 1..=8 | 10..=19) | (Of::Time, 2) | (Of::Unit, 1..=3) => Some(STRUCT),
            (Of::Integer, 1) => Some(BYTE),
            (Of::Integer, 2) | (Of::Time, 1) => Some(TRUE),
            _ => None,
        }
    }

    fn allows(self, number: i16, kind: u8) -> bool {
        let written_as = match kind {
            // All of these are written in the same way, and some writers have one of them for all.
            INT16 | INT64 => INT32,
            FALSE => TRUE,
            other => other,
        };
        self.read_as(number).is_none_or(|known| known == written_as)
    }
}

/// A column, or a group of so many.
struct Column {
    name: u64,
    columns: u64,
}

/// A group that waits for so many more columns, and what the names take that lead to them.
struct Group {
    waits_for: u64,
    path: u64,
}

/// Whether the columns of a footer can be read; if not, why. What they are is not looked at, and neither is what follows them.
pub(super) fn check(footer: &[u8]) -> Result<(), String> {
    let unknown = || "its columns are described as nobody does".to_owned();
    let mut footer = Footer(Bytes(footer));
    let mut left = footer.columns().ok_or_else(unknown)?;
    let mut open: Vec<Group> = Vec::new();
    // What all open groups wait for together is what their reader makes room for.
    let (mut waited_for, mut paths) = (0, 0);
    while left > 0 {
        let Column { name, columns } = footer.column().ok_or_else(unknown)?;
        left -= 1;
        while open.last().is_some_and(|group| group.waits_for == 0) {
            open.pop();
        }
        let mut path = name + NAME;
        if let Some(group) = open.last_mut() {
            group.waits_for -= 1;
            waited_for -= 1;
            path += group.path;
        }
        waited_for += columns;
        if waited_for > left {
            return Err("its groups have more columns than there are".to_owned());
        }
        if columns == 0 {
            paths += path;
        } else {
            open.push(Group {
                waits_for: columns,
                path,
            });
        }
        if open.len() > DEEPEST {
            return Err(format!("its columns are nested more than {DEEPEST} deep"));
        }
        if paths > LONGEST_PATHS {
            return Err(format!(
                "its columns have names of more than {} MB",
                LONGEST_PATHS >> 20
            ));
        }
    }
    Ok(())
}

struct Footer<'a>(Bytes<'a>);

impl Footer<'_> {
    /// Goes to the columns, and tells how many are said to come.
    fn columns(&mut self) -> Option<u64> {
        let mut number = 0;
        loop {
            let kind = self.field(&mut number)?;
            if number == COLUMNS && kind == LIST {
                break;
            }
            // Without columns, or behind what needs them, there is nothing to be read.
            if number == COLUMNS || kind == END {
                return None;
            }
            self.pass(kind, Of::Other, DEEPEST_STRUCT)?;
        }
        let head = self.0.byte()?;
        if head & 0xf != STRUCT {
            return None;
        }
        match head >> 4 {
            LONG => self.0.varint(),
            few => Some(few.into()),
        }
    }

    fn column(&mut self) -> Option<Column> {
        let (mut name, mut columns, mut number) = (None, 0, 0);
        loop {
            let kind = self.field(&mut number)?;
            if kind == END {
                return Some(Column { name: name?, columns });
            }
            if !Of::Column.allows(number, kind) {
                return None;
            }
            // Of two names or numbers the last counts, as it does for the reader.
            match number {
                4 => name = Some(self.pass_text()?),
                5 => columns = u32::try_from(self.0.zigzag()?).ok()?.into(),
                _ => self.pass(kind, Of::Column.within(number), DEEPEST_STRUCT)?,
            }
        }
    }

    /// The type of the next field, and its number in place of that of the one before.
    fn field(&mut self, number: &mut i16) -> Option<u8> {
        let field = self.0.byte()?;
        if field & 0xf == END {
            return Some(END);
        }
        *number = match field >> 4 {
            0 => i16::try_from(self.0.zigzag()?).ok()?,
            greater => number.checked_add(greater.into())?,
        };
        Some(field & 0xf)
    }

    fn pass(&mut self, kind: u8, of: Of, depth: u32) -> Option<()> {
        match kind {
            TRUE | FALSE => {}
            BYTE => _ = self.0.byte()?,
            INT16 | INT32 | INT64 => _ = self.0.varint()?,
            DOUBLE => _ = self.0.take(size_of::<f64>())?,
            BINARY => _ = self.pass_text()?,
            STRUCT => self.pass_struct(of, depth.checked_sub(1)?)?,
            _ => return None,
        }
        Some(())
    }

    fn pass_struct(&mut self, of: Of, depth: u32) -> Option<()> {
        let mut number = 0;
        loop {
            let kind = self.field(&mut number)?;
            if kind == END {
                return Some(());
            }
            if !of.allows(number, kind) {
                return None;
            }
            self.pass(kind, of.within(number), depth)?;
        }
    }

    /// How long it is.
    fn pass_text(&mut self) -> Option<u64> {
        let length = self.0.varint()?;
        self.0.take(usize::try_from(length).ok()?)?;
        Some(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn varint(mut number: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        while number > 0x7f {
            bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        bytes.push(number as u8);
        bytes
    }

    /// A version and so many columns.
    fn footer(count: u64, columns: &[Vec<u8>]) -> Vec<u8> {
        [&[0x15, 2, 0x19, 0xfc][..], &varint(count), &columns.concat()].concat()
    }

    fn footer_of(columns: &[Vec<u8>]) -> Vec<u8> {
        footer(columns.len() as u64, columns)
    }

    fn group(name: &str, columns: u64) -> Vec<u8> {
        let length = varint(name.len() as u64);
        [
            &[0x48][..],
            &length,
            name.as_bytes(),
            &[0x15],
            &varint(2 * columns),
            &[END],
        ]
        .concat()
    }

    /// A column of bytes, which must be there, and what else is said of it.
    fn column(name: &str, more: &[u8]) -> Vec<u8> {
        let length = varint(name.len() as u64);
        [&[0x15, 12, 0x25, 0, 0x18][..], &length, name.as_bytes(), more, &[END]].concat()
    }

    #[track_caller]
    fn refused(footer: &[u8], why: &str) {
        let told = check(footer).expect_err(why);
        assert!(told.contains(why), "{told}");
    }

    #[test]
    fn columns_are_gone_through_to_the_last() {
        let nested = [
            group("schema", 3),
            column("fen", &[]),
            group("list", 1),
            group("element", 2),
            column("a", &[]),
            column("b", &[]),
            column("last", &[]),
        ];
        let whole = footer_of(&nested);
        assert_eq!(check(&whole), Ok(()));
        assert_eq!(check(&[&whole[..], b"what follows"].concat()), Ok(()));
        for cut in 0..whole.len() {
            refused(&whole[..cut], "as nobody does");
        }
        // Few have their number in the head.
        let few = [&[0x15, 2, 0x19, 0x2c][..], &group("s", 1), &column("a", &[])].concat();
        assert_eq!(check(&few), Ok(()));
    }

    #[test]
    fn what_is_said_of_a_column_is_passed_over() {
        for (more, what) in [
            (&[0x25, 0, 0x4c, 0x1c, END, END][..], "a text, in both ways"),
            (
                &[0x25, 10, 0x15, 4, 0x15, 18, 0x2c, 0x5c, 0x15, 4, 0x15, 18, END, END],
                "a decimal",
            ),
            (
                &[0x6c, 0x8c, 0x11, 0x1c, 0x2c, END, END, END, END],
                "a time stamp in microseconds",
            ),
            (
                &[0x6c, 0x7c, 0x12, 0x1c, 0x1c, END, END, END, END],
                "a time in milliseconds",
            ),
            (&[0x6c, 0xac, 0x13, 8, 0x12, END, END], "a small number without sign"),
            (
                &[0x6c, 0x0c, 34, 0x18, 1, b'x', 0x15, 2, END, END],
                "a place, by the long form of its number",
            ),
            (
                &[0x6c, 0x0c, 40, 0x17, 0, 0, 0, 0, 0, 0, 0, 0, END, END],
                "what is not known yet",
            ),
            (&[0x56, 7], "a number of 64 bits where 32 would do"),
        ] {
            let described = footer_of(&[group("s", 1), column("a", more)]);
            assert_eq!(check(&described), Ok(()), "{what}");
        }
    }

    #[test]
    fn no_group_has_more_columns_than_there_are() {
        let more = "more columns than there are";
        refused(&footer_of(&[group("s", i32::MAX as u64)]), more);
        refused(&footer_of(&[group("s", 2), column("a", &[])]), more);
        // Each of them could have what is left, and both together cannot.
        let claims = [group("s", 4), group("g", 3), column("a", &[]), column("b", &[])];
        refused(&footer_of(&[&claims[..], &[column("c", &[])]].concat()), more);
        // As many as there are columns, which there are not.
        refused(&footer(u64::from(u32::MAX), &[group("s", 1)]), "as nobody does");
    }

    #[test]
    fn groups_stand_in_groups_as_deep_as_somebody_could_mean() {
        let nested = |deep: usize| {
            let groups = vec![group("g", 1); deep];
            footer_of(&[groups, vec![column("a", &[])]].concat())
        };
        assert_eq!(check(&nested(DEEPEST)), Ok(()));
        for deep in [DEEPEST + 1, 100_000] {
            refused(&nested(deep), "nested more than 100 deep");
        }
        // One behind the other they may be any number.
        let row = [
            vec![group("s", 1000)],
            vec![[group("g", 1), column("a", &[])].concat(); 1000],
        ]
        .concat();
        assert_eq!(check(&footer(2001, &row)), Ok(()));
    }

    #[test]
    fn a_long_name_is_not_copied_for_each_column() {
        let columns = |count: usize| vec![column("a", &[]); count];
        let named = |name: &str, count: usize| footer_of(&[vec![group(name, count as u64)], columns(count)].concat());
        let long = "x".repeat(1 << 17);
        assert_eq!(check(&named(&long, 500)), Ok(()));
        refused(&named(&long, 600), "names of more than 64 MB");
        assert_eq!(check(&named("s", 20_000)), Ok(()));
    }

    #[test]
    fn what_could_be_read_otherwise_is_refused() {
        for (columns, what) in [
            (
                vec![[&[0x48, 1, b's', 0x18, 4][..], &[0; 4], &[END]].concat()],
                "a number that is a text",
            ),
            (
                vec![group("s", 1), column("a", &[0x68, 3, 0x1c, END, END])],
                "a logical type that is a text",
            ),
            (
                vec![group("s", 1), column("a", &[0x6c, 0x58, 1, 0, END])],
                "a decimal that is a text",
            ),
            (
                vec![group("s", 1), column("a", &[0x6c, 0xac, 0x15, 0x80, 1, END, END])],
                "bits in more bytes than one",
            ),
            (
                vec![group("s", 1), column("a", &[0x79, 0x13, 1])],
                "a list that nobody knows",
            ),
            (
                vec![[0x48, 1, b's', 0x15, 1, END].to_vec()],
                "a negative number of columns",
            ),
            (
                vec![[0x48, 1, b's', 0x15, 0x82, 0x80, 0x80, 0x80, 0x80, 1, END].to_vec()],
                "one of more than 32 bits",
            ),
            (vec![vec![END]], "a column without name"),
        ] {
            let told = check(&footer_of(&columns));
            assert_eq!(
                told,
                Err("its columns are described as nobody does".to_owned()),
                "{what}"
            );
        }
        // Structs in structs without end.
        refused(&footer_of(&[column("a", &[0x7c; 1000])]), "as nobody does");
        // No columns, or something else in their place.
        for footer in [
            &[0x15, 2, END][..],
            &[0x15, 2, 0x18, 1, 0],
            &[0x15, 2, 0x19, 0x15, 2],
            &[0x39, 0x0c],
        ] {
            refused(footer, "as nobody does");
        }
    }
}
