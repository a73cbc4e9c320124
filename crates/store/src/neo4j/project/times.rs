//! When positions were made and changed. Nearly all of a build say the same, so the copy says it once for those that do not say it
//! themselves: two texts of four properties' size for each would be a tenth of what a position takes.

use super::super::bolt::{Packer, Statement};
use super::sent::Sent;
use crate::StoreError;
use crate::knowledge::projection::{ProjectedNode, Source};

/// Values that [`Times::pack`] packs.
pub(super) const TIMES: usize = 2;

/// What a position without times of its own has.
#[derive(Debug, Default)]
pub(super) struct Times(Option<(String, String)>);

impl Times {
    /// Those that the copy says already, for as long as it has positions; otherwise those that most positions have.
    pub(super) async fn settle(
        from: &mut Source<'_>,
        sent: &mut Sent<'_>,
        is_empty: bool,
    ) -> Result<Times, StoreError> {
        let said = Statement::new("MATCH (t:Tabiya) WHERE t.created_at IS NOT NULL RETURN t.created_at, t.updated_at");
        let said = sent.known(said, |row| Ok((row.text()?, row.text()?))).await?;
        if let (false, Some(said)) = (is_empty, said.into_iter().next()) {
            return Ok(Times(Some(said)));
        }
        let Some((created, updated)) = from.usual_times().await? else {
            return Ok(Times(None));
        };
        let say = Statement::new("MATCH (t:Tabiya) SET t.created_at = $created, t.updated_at = $updated")
            .text("created", &created)
            .text("updated", &updated);
        sent.send_on(0, vec![say]).await?;
        sent.landed().await?;
        Ok(Times(Some((created, updated))))
    }

    /// When it was made, and when it was changed if that is another time; nothing where both are the usual ones.
    pub(super) fn pack(&self, node: &ProjectedNode, packer: &mut Packer) {
        let usual = (self.0.as_ref())
            .is_some_and(|(created, updated)| (created, updated) == (&node.created_at, &node.updated_at));
        let is_changed = node.updated_at != node.created_at;
        packer.opt_text((!usual).then_some(&*node.created_at));
        packer.opt_text((!usual && is_changed).then_some(&*node.updated_at));
    }
}
