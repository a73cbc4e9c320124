//! Where bytes leave the program.

use std::{
    fs::File,
    io::{self, IsTerminal, Write},
};

use crate::tamed::Tamed;

/// An open file that counts what goes into it.
#[derive(Debug)]
pub(crate) struct Output {
    way: Way,
    bytes: u64,
}

/// What becomes of the bytes on their way out. Programs get them as they are; a terminal, which obeys some of them, does not.
#[derive(Debug)]
enum Way {
    Raw(File),
    Terminal(Tamed<File>),
}

impl Way {
    fn new(file: File) -> Way {
        match file.is_terminal() {
            true => Way::Terminal(Tamed::new(file)),
            false => Way::Raw(file),
        }
    }

    fn file(&self) -> &File {
        match self {
            Way::Raw(file) => file,
            Way::Terminal(tamed) => tamed.get_ref(),
        }
    }

    fn writer(&mut self) -> &mut dyn Write {
        match self {
            Way::Raw(file) => file,
            Way::Terminal(tamed) => tamed,
        }
    }
}

impl Output {
    pub(crate) fn new(file: File) -> Output {
        Output {
            way: Way::new(file),
            bytes: 0,
        }
    }

    pub(crate) fn file(&self) -> &File {
        self.way.file()
    }

    /// How many bytes went into it; fewer may have come out of a terminal.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// A second handle, for writers that do not give back what they own.
    #[cfg(feature = "parquet")]
    pub(crate) fn try_clone(&self) -> io::Result<Output> {
        Ok(Output {
            way: Way::new(self.file().try_clone()?),
            bytes: self.bytes,
        })
    }
}

impl Write for Output {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let written = self.way.writer().write(buffer)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.way.writer().flush()
    }
}
