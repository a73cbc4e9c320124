use ::parquet::basic::Encoding;

use super::*;

#[test]
fn a_dictionary_has_no_more_values_than_there_is_room_for() {
    let dictionary = |num_values| Page::DictionaryPage {
        buf: Bytes::new(),
        num_values,
        encoding: Encoding::PLAIN,
        is_sorted: false,
    };
    assert!(check_page(&dictionary(LARGEST_DICTIONARY)).is_ok());
    let error = check_page(&dictionary(u32::MAX)).unwrap_err().to_string();
    assert!(
        error.ends_with("a dictionary has 4294967295 values, 2097152 are allowed"),
        "{error}"
    );
}

#[test]
fn a_page_is_as_large_as_both_of_its_sizes() {
    let head = |unpacked: u8, packed: u8| {
        [
            0x15, 0, 0x15, 0x80, 0x80, 0x80, unpacked, 0x15, 0x80, 0x80, 0x80, packed, 0,
        ]
    };
    // 2^21 of these, halved, are a MB each.
    assert!(check_header(&head(64, 64)).is_ok());
    for larger in [head(65, 64), head(64, 65)] {
        let error = check_header(&larger).unwrap_err().to_string();
        assert!(error.ends_with("a page has 65 MB, 64 are allowed"), "{error}");
    }
    assert!(check_header(b"PAR1").is_err() && check_header(b"").is_err());
}
