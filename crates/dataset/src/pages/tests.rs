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
    assert!(check_page(&dictionary(LARGEST_DICTIONARY), false).is_ok());
    let error = check_page(&dictionary(u32::MAX), false).unwrap_err().to_string();
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
    // 2^21 of these, halved, are a MB each: 127 in the last byte of a number, or 128 in the one behind it.
    assert!(check_header(&head(127, 127)).is_ok());
    let more = |first: [u8; 5], second: [u8; 5]| [&[0x15, 0, 0x15][..], &first, &[0x15], &second, &[0]].concat();
    let (most, larger) = ([0x80, 0x80, 0x80, 0x80, 1], [0x80, 0x80, 0x80, 0x81, 1]);
    assert!(check_header(&more(most, most)).is_ok());
    for larger in [more(larger, most), more(most, larger)] {
        let error = check_header(&larger).unwrap_err().to_string();
        assert!(error.ends_with("a page has 129 MB, 128 are allowed"), "{error}");
    }
    assert!(check_header(b"PAR1").is_err() && check_header(b"").is_err());
}

/// A page that says in a few bytes that it packs so many lengths, each of them 1.
fn packing(lengths: u64, num_values: u32, encoding: Encoding) -> Page {
    // One block of one part for all, in which differences have no bits.
    let mut row = vec![0x80, 0x80, 0x80, 0x80, 4, 1];
    let mut rest = lengths;
    while rest > 0x7f {
        row.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    row.extend([rest as u8, 2, 0, 0]);
    Page::DataPage {
        buf: Bytes::from([&[2, 0, 0, 0, 0xff, 0xff][..], &row, &row].concat()),
        num_values,
        encoding,
        def_level_encoding: Encoding::RLE,
        rep_level_encoding: Encoding::RLE,
        statistics: None,
    }
}

#[test]
fn what_is_packed_takes_no_more_than_a_page_may() {
    const MANY: u32 = (LARGEST_PAGE >> 2) + 1;
    for encoding in [Encoding::DELTA_LENGTH_BYTE_ARRAY, Encoding::DELTA_BYTE_ARRAY] {
        let told = |lengths, values| {
            let refused = check_page(&packing(lengths, values, encoding), true);
            refused.unwrap_err().to_string()
        };
        assert!(
            check_page(&packing(9, 9, encoding), true)
                .expect("nine texts")
                .of_data()
                > 9 * LENGTH
        );
        let more = told(10, 9);
        assert!(more.ends_with("a page of 9 values packs 10 texts"), "{more}");
        let larger = told(MANY.into(), u32::MAX);
        let most = LARGEST_PAGE >> 20;
        let expected = format!("a page unpacks to {} MB, {most} are allowed", most + 1);
        assert!(larger.ends_with(&expected), "{larger}");
        let absurd = told(i64::MAX as u64, u32::MAX);
        assert!(absurd.contains("packs 9223372036854775807 texts"), "{absurd}");
        // The levels are taken for lengths.
        let without_levels = check_page(&packing(9, 9, encoding), false).unwrap_err().to_string();
        assert!(
            without_levels.ends_with("a page packs its texts as nobody does"),
            "{without_levels}"
        );
    }
}

/// Pages out of nowhere.
struct Endless(Page);

impl Iterator for Endless {
    type Item = Result<Page, ParquetError>;

    fn next(&mut self) -> Option<Result<Page, ParquetError>> {
        self.get_next_page().transpose()
    }
}

impl PageReader for Endless {
    fn get_next_page(&mut self) -> Result<Option<Page>, ParquetError> {
        Ok(Some(self.0.clone()))
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>, ParquetError> {
        Ok(None)
    }

    fn skip_next_page(&mut self) -> Result<(), ParquetError> {
        Ok(())
    }
}

#[test]
fn no_batch_of_rows_holds_all_pages_of_a_file() {
    let pages = |values: u32, mega_bytes: usize| {
        let page = Page::DataPage {
            buf: Bytes::from(vec![0; mega_bytes << 20]),
            num_values: values,
            encoding: Encoding::PLAIN,
            def_level_encoding: Encoding::RLE,
            rep_level_encoding: Encoding::RLE,
            statistics: None,
        };
        CheckedPages::new(Box::new(Endless(page)), false, Held::new(&Room::default(), 0))
    };
    assert_eq!(pages(1, 8).take_while(Result::is_ok).count(), 32);
    assert_eq!(pages(0, 8).take_while(Result::is_ok).count(), 32);
    assert_eq!(pages(1, 1).take_while(Result::is_ok).count(), 256);
    // Pages of one batch each, however many.
    assert!(pages(BATCH as u32, 8).take(1000).all(|page| page.is_ok()));
    assert!(pages(200, 8).take(1000).all(|page| page.is_ok()));
    let error = pages(1, 8).find_map(Result::err).expect("an error").to_string();
    assert!(error.ends_with("pages with 33 values have more than 256 MB"), "{error}");
}

/// Plain pages of so many MB, each with a batch of values.
fn whole_batches(mega_bytes: usize) -> Page {
    Page::DataPage {
        buf: Bytes::from(vec![0; mega_bytes << 20]),
        num_values: BATCH as u32,
        encoding: Encoding::PLAIN,
        def_level_encoding: Encoding::RLE,
        rep_level_encoding: Encoding::RLE,
        statistics: None,
    }
}

const TOGETHER: &str = "pages that are read together have more than 512 MB";

#[test]
fn columns_share_their_room_for_as_long_as_pages_are_held() {
    let room = Room::default();
    let column = || CheckedPages::new(Box::new(Endless(whole_batches(8))), false, Held::new(&room, 0));
    let (mut one, mut other) = (column(), column());
    assert!(one.by_ref().take(1000).all(|page| page.is_ok()));
    let mut pieces = Vec::new();
    for pages in [&mut one, &mut other] {
        // As values are, pieces of pages.
        let held = pages.take(32).map(|page| page.expect("room").buffer().slice(..1));
        pieces.extend(held);
    }
    for pages in [&mut one, &mut other] {
        let error = pages.next().expect("a page").unwrap_err().to_string();
        assert!(error.ends_with(TOGETHER), "{error}");
    }
    pieces.pop();
    assert!(other.next().expect("a page").is_ok());
    // Another row group has room of its own.
    let mut elsewhere = CheckedPages::new(
        Box::new(Endless(whole_batches(8))),
        false,
        Held::new(&Room::default(), 0),
    );
    assert!(elsewhere.next().expect("a page").is_ok());
}

#[test]
fn what_decoders_keep_is_held_until_a_column_is_closed() {
    let dictionary = Page::DictionaryPage {
        buf: Bytes::new(),
        num_values: LARGEST_DICTIONARY,
        encoding: Encoding::PLAIN,
        is_sorted: false,
    };
    // Pages have a few bytes of their own.
    let most = u64::from(LARGEST_PAGE) / LENGTH - 100;
    let lengths = packing(most, u32::MAX, Encoding::DELTA_LENGTH_BYTE_ARRAY);
    // 32 bytes for each of two million values, and 4 for each of 32 million lengths.
    for (page, columns) in [(dictionary, 8), (lengths, 4)] {
        let room = Room::default();
        let column = || CheckedPages::new(Box::new(Endless(page.clone())), true, Held::new(&room, 32));
        let mut open: Vec<CheckedPages> = (0..=columns).map(|_| column()).collect();
        let mut last = open.pop().expect("a column");
        // The few bytes of a page are gone as soon as it is dropped; what is made of it is not, and is made once.
        for pages in &mut open {
            let mut read = || pages.next().expect("a page").map(drop);
            read().and_then(|()| read()).expect("room");
        }
        let error = last.next().expect("a page").unwrap_err().to_string();
        assert!(error.ends_with(TOGETHER), "{error}");
        drop(last);
        open.pop();
        assert!(column().next().expect("a page").is_ok());
    }
}

#[test]
fn texts_put_together_anew_are_held_for_two_batches() {
    let room = Room::default();
    let packed = packing(BATCH as u64, BATCH as u32, Encoding::DELTA_BYTE_ARRAY);
    let weight = check_page(&packed, true).expect("texts");
    let mut held = Held::new(&room, 0);
    let mut hold = |batches: usize| {
        for _ in 0..batches {
            held.next_batch();
        }
        // The page itself is dropped here.
        held.hold(&mut packed.clone(), &weight);
        let empty = check_page(&whole_batches(0), false).expect("nothing");
        held.hold(&mut whole_batches(0), &empty)
    };
    let (lengths, texts) = (2 * weight.values * LENGTH, weight.bytes + weight.copied);
    assert_eq!(hold(0), lengths + texts);
    assert_eq!(hold(0), lengths + 2 * texts);
    assert_eq!(hold(1), lengths + 3 * texts);
    assert_eq!(hold(1), lengths + 2 * texts);
    assert_eq!(hold(2), lengths + texts);
}
