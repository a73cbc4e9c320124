//! What nearly all positions of a build have alike: when they were made and changed, where they come from, whose games they count. The
//! copy says it once for those that do not say it themselves, and so do moves of their collections: a property takes the server
//! longer than anything else, and these would be a fifth of a position.

use super::super::bolt::{Packer, Statement};
use super::sent::Sent;
use crate::StoreError;
use crate::knowledge::projection::{ProjectedNode, Source};

/// Values that [`Usual::pack`] packs.
pub(super) const USUAL: usize = 3;

/// What a position without words of its own has.
#[derive(Debug, Default)]
pub(super) struct Usual {
    /// When it was made, and when it was last changed.
    times: Option<(String, String)>,
    source: Option<String>,
    collections: Option<Vec<i64>>,
}

impl Usual {
    /// What the copy says already, for as long as it has positions; otherwise what most positions have. What it does not say, nobody
    /// has left out.
    pub(super) async fn settle(
        from: &mut Source<'_>,
        sent: &mut Sent<'_>,
        is_empty: bool,
    ) -> Result<Usual, StoreError> {
        let mut usual = match is_empty {
            true => Usual::default(),
            false => Usual::said(sent).await?,
        };
        let Usual {
            times,
            source,
            collections,
        } = &mut usual;
        if times.is_none() {
            *times = from.usual_times().await?;
        }
        if source.is_none() {
            *source = from.usual_source().await?;
        }
        if collections.is_none() {
            *collections = from.usual_collection().await?.map(|one| vec![one]);
        }
        sent.send_on(0, vec![usual.say()]).await?;
        sent.landed().await?;
        Ok(usual)
    }

    async fn said(sent: &Sent<'_>) -> Result<Usual, StoreError> {
        let said = Statement::new("MATCH (t:Tabiya) RETURN t.created_at, t.updated_at, t.source, t.collections");
        let said = sent.known(said, |row| {
            Ok(Usual {
                times: row.opt_text()?.zip(row.opt_text()?),
                source: row.opt_text()?,
                collections: Some(row.ints()?).filter(|ids| !ids.is_empty()),
            })
        });
        Ok(said.await?.into_iter().next().unwrap_or_default())
    }

    fn say(&self) -> Statement {
        let times = self.times.as_ref();
        Statement::new(
            "MATCH (t:Tabiya)
             SET t.created_at = $created, t.updated_at = $updated, t.source = $source, t.collections = $collections",
        )
        .opt_text("created", times.map(|(created, _)| &**created))
        .opt_text("updated", times.map(|(_, updated)| &**updated))
        .opt_text("source", self.source.as_deref())
        .with("collections", |packer| match &self.collections {
            Some(ids) => packer.ints(ids),
            None => packer.null(),
        })
    }

    /// The collections that are not named.
    pub(super) fn collections(&self) -> Option<&[i64]> {
        self.collections.as_deref()
    }

    /// Where it comes from, when it was made, and when it was changed if that is another time; nothing of it that is usual.
    pub(super) fn pack(&self, node: &ProjectedNode, packer: &mut Packer) {
        let is_usual = self.source.as_ref() == Some(&node.source);
        packer.opt_text((!is_usual).then_some(&*node.source));
        let is_usual = (self.times.as_ref())
            .is_some_and(|(created, updated)| (created, updated) == (&node.created_at, &node.updated_at));
        let is_changed = node.updated_at != node.created_at;
        packer.opt_text((!is_usual).then_some(&*node.created_at));
        packer.opt_text((!is_usual && is_changed).then_some(&*node.updated_at));
    }
}
