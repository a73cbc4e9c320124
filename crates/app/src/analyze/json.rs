//! JSON, written as it comes.

/// A text of JSON in the making: whoever writes says what comes, the commas come by themselves.
#[derive(Debug, Default)]
pub(super) struct Json {
    text: Vec<u8>,
    /// Something stands before, and a comma is due.
    due: bool,
}

impl Json {
    /// Goes on behind a text; `due` says whether something stands before what comes.
    pub(super) fn appending(text: Vec<u8>, due: bool) -> Json {
        Json { text, due }
    }

    pub(super) fn begin_object(&mut self) {
        self.open(b'{');
    }

    pub(super) fn end_object(&mut self) {
        self.close(b'}');
    }

    pub(super) fn begin_array(&mut self) {
        self.open(b'[');
    }

    pub(super) fn end_array(&mut self) {
        self.close(b']');
    }

    /// A line of its own for what comes next.
    pub(super) fn new_line(&mut self) {
        self.comma();
        self.text.push(b'\n');
        self.due = false;
    }

    pub(super) fn end_line(&mut self) {
        self.text.push(b'\n');
    }

    pub(super) fn key(&mut self, key: &str) {
        self.comma();
        self.text.push(b'"');
        self.text.extend_from_slice(key.as_bytes());
        self.text.extend_from_slice(b"\":");
        self.due = false;
    }

    pub(super) fn string(&mut self, text: &str) {
        self.comma();
        let plain = |byte: u8| byte >= b' ' && byte != b'"' && byte != b'\\';
        if text.bytes().all(plain) {
            self.text.push(b'"');
            self.text.extend_from_slice(text.as_bytes());
            self.text.push(b'"');
        } else {
            // Text can always be written, and into memory.
            let _ = serde_json::to_writer(&mut self.text, text);
        }
        self.due = true;
    }

    pub(super) fn number(&mut self, number: u64) {
        self.comma();
        push_number(&mut self.text, number);
        self.due = true;
    }

    /// A value that is made of others, for what is rare.
    pub(super) fn value(&mut self, value: &impl serde::Serialize) {
        self.comma();
        // Plain values with text keys can always be written, and into memory.
        let _ = serde_json::to_writer(&mut self.text, value);
        self.due = true;
    }

    /// Lets somebody write a value that is known to need no care.
    pub(super) fn raw(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        self.comma();
        write(&mut self.text);
        self.due = true;
    }

    pub(super) fn numbers(&mut self, numbers: impl IntoIterator<Item = u32>) {
        self.begin_array();
        for number in numbers {
            self.number(u64::from(number));
        }
        self.end_array();
    }

    /// What is there so far, to be written and cleared.
    pub(super) fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.text
    }

    fn comma(&mut self) {
        if self.due {
            self.text.push(b',');
        }
    }

    fn open(&mut self, bracket: u8) {
        self.comma();
        self.text.push(bracket);
        self.due = false;
    }

    fn close(&mut self, bracket: u8) {
        self.text.push(bracket);
        self.due = true;
    }
}

pub(super) fn push_number(text: &mut Vec<u8>, number: u64) {
    if number < 10 {
        return text.push(b'0' + number as u8);
    }
    let mut digits = [0; 20];
    let mut at = digits.len();
    let mut left = number;
    loop {
        at -= 1;
        digits[at] = b'0' + (left % 10) as u8;
        left /= 10;
        if left == 0 {
            break;
        }
    }
    text.extend_from_slice(&digits[at..]);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn commas_come_by_themselves_and_text_is_escaped() {
        let mut json = Json::default();
        json.begin_object();
        json.key("a");
        json.numbers([0, 7, u32::MAX]);
        json.new_line();
        json.key("b");
        json.begin_array();
        json.begin_object();
        json.end_object();
        json.string("Müller \"Bobby\" \\ \u{1}\n");
        json.value(&json!({"c": null}));
        json.raw(|text| text.extend_from_slice(b"\"d\""));
        json.end_array();
        json.end_object();
        let read: serde_json::Value = serde_json::from_slice(json.buffer()).expect("JSON");
        let expected = json!({"a": [0, 7, u32::MAX],
            "b": [{}, "Müller \"Bobby\" \\ \u{1}\n", {"c": null}, "d"]});
        assert_eq!(read, expected);
    }
}
