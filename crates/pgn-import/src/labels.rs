//! Repertoire labels from the tags of a Lichess study's chapters.

use crate::read::Tag;

/// What a game's tags say about the study it is a chapter of.
#[derive(Debug, Default)]
pub(crate) struct StudyTags {
    study: Option<String>,
    chapter: Option<String>,
    event: Option<String>,
}

impl StudyTags {
    pub(crate) fn clear(&mut self) {
        *self = StudyTags::default();
    }

    pub(crate) fn note(&mut self, tag: &Tag<'_>) {
        let slot = match tag.name {
            b"StudyName" => &mut self.study,
            b"ChapterName" => &mut self.chapter,
            b"Event" => &mut self.event,
            _ => return,
        };
        let value = tag.value().trim().to_owned();
        if !value.is_empty() && value != "?" {
            slot.get_or_insert(value);
        }
    }

    /// `Study: Chapter`, as Lichess itself writes it in the Event tag.
    pub(crate) fn label(&self) -> Option<String> {
        match (&self.study, &self.chapter) {
            (Some(study), Some(chapter)) => Some(format!("{study}: {chapter}")),
            (Some(name), None) | (None, Some(name)) => Some(name.clone()),
            (None, None) => self.event.clone().filter(|event| event.contains(": ")),
        }
    }
}
