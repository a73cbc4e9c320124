//! What every backend must do. Each case takes a kind of database and makes its own.

mod annotations;
mod concurrency;
mod crawls;
mod enrichment;
pub(crate) mod evaluations;
mod journal;
pub(crate) mod knowledge;
mod lineage;
mod loads;
mod plies;
mod questions;
mod reads;
mod settle;
mod upserts;

macro_rules! run_on {
    ($name:ident, $kind:expr, [$($module:ident :: $case:ident),* $(,)?]) => {
        mod $name {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $case() {
                    super::$module::$case($kind).await;
                }
            )*
        }
    };
}

/// What any of the stores answers, once it is there.
macro_rules! reading_half {
    ($($cases:tt)*) => {
        run_on!(reading_sqlite_memory, crate::fixture::Kind::SqliteMemory, [$($cases)*]);
        run_on!(reading_sqlite_file, crate::fixture::Kind::SqliteFile, [$($cases)*]);
        run_on!(reading_postgres, crate::fixture::Kind::Postgres, [$($cases)*]);
        run_on!(reading_neo4j, crate::fixture::Kind::Neo4j, [$($cases)*]);
    };
}

/// What is written, and what is asked by whoever writes.
macro_rules! writing_half {
    ($($cases:tt)*) => {
        run_on!(sqlite_memory, crate::fixture::Kind::SqliteMemory, [$($cases)*]);
        run_on!(sqlite_file, crate::fixture::Kind::SqliteFile, [$($cases)*]);
        run_on!(postgres, crate::fixture::Kind::Postgres, [$($cases)*]);
    };
}

reading_half! {
    reads::tactics_by_tag_and_source,
    knowledge::a_node_has_all_its_fields,
    knowledge::openings_are_found_by_id_slug_and_code,
    knowledge::games_and_names_are_asked_for_alone,
    knowledge::collections_are_summed_or_told_apart,
    loads::a_node_may_move_between_collections,
    loads::stubs_outlive_builds,
    enrichment::links_structures_and_books_come_back,
    annotations::an_evaluation_is_shown_at_its_node,
    evaluations::answers_come_back_to_whom_they_serve,
    evaluations::positions_where_the_game_is_over_have_answers,
}

writing_half! {
    upserts::what_is_written_is_read_back,
    upserts::the_same_again_changes_nothing,
    upserts::rows_may_come_in_any_order_of_kinds,
    upserts::a_batch_may_name_a_thing_twice,
    upserts::the_smaller_hint_and_all_tags_stay,
    upserts::nul_characters_are_no_obstacle,
    upserts::collisions_are_errors_and_leave_nothing,
    upserts::an_id_that_is_no_hash_is_refused,
    upserts::full_fens_keep_the_literal_tree,
    settle::transpositions_with_different_clocks,
    settle::a_late_shortcut_lowers_the_whole_chain,
    settle::two_roots_of_one_position,
    settle::random_graphs_agree_with_the_oracle,
    settle::a_bulk_load_agrees_with_the_oracle,
    journal::a_job_goes_on_where_it_stopped,
    journal::rejects_belong_to_the_last_run,
    journal::a_retry_strikes_off_what_it_settled_and_no_more,
    journal::a_failing_commit_leaves_nothing,
    reads::ids_are_ordered_as_u64_and_paged,
    reads::repertoires_and_their_moves,
    reads::counts,
    concurrency::many_writers_are_as_one,
    loads::a_collection_is_replaced_whole,
    loads::the_order_of_builds_does_not_show,
    loads::repertoires_share_the_graph_and_stay_out,
    loads::a_literal_tree_has_no_knowledge_base,
    loads::a_load_that_fails_leaves_nothing,
    knowledge::dumps_are_those_of_any_other_database,
    crawls::answers_of_an_explorer_are_kept_one_by_one,
    lineage::changes_of_what_was_known_are_logged,
    lineage::what_becomes_of_a_lineage_is_logged,
    lineage::who_lies_below_no_name_any_more_loses_its_opening,
    questions::an_answer_waits_while_lines_go_on,
    crawls::answers_can_be_cut_to_those_with_more_games,
    crawls::flags_go_with_the_answers_they_are_about,
    crawls::an_explorer_does_not_clear_what_another_was_caught_at,
    plies::imports_leave_the_numbers_of_nodes_alone,
    plies::moves_that_are_gone_leave_no_number_behind,
    questions::a_rule_leaves_a_persons_answer_alone,
    enrichment::phases_are_recorded_and_forgotten,
    concurrency::calls_may_be_spawned,
    evaluations::answers_are_counted_by_engine,
    evaluations::the_deeper_answer_stays_in_any_order,
    evaluations::a_literal_tree_has_evaluations_too,
    evaluations::many_writers_of_evaluations_are_as_one,
    evaluations::what_nobody_could_answer_is_kept_apart,
    annotations::changed_evaluations_are_logged,
    annotations::evaluations_outlive_builds,
    annotations::coverage_tells_kinds_of_nodes_apart,
    annotations::single_questions_are_added_and_taken_back,
    annotations::annotating_goes_on_while_a_build_writes,
}

run_on!(
    sqlite_file_reopened,
    crate::fixture::Kind::SqliteFile,
    [
        upserts::identity_is_fixed_by_the_first_write,
        concurrency::many_may_create_one_database,
        evaluations::two_positions_under_one_hash_are_an_error,
        annotations::a_crowd_waits_for_a_long_change,
    ]
);
run_on!(
    sqlite_file_watched,
    crate::fixture::Kind::SqliteFile,
    [plies::who_looks_does_not_write]
);
run_on!(
    postgres_reopened,
    crate::fixture::Kind::Postgres,
    [
        upserts::identity_is_fixed_by_the_first_write,
        concurrency::many_may_create_one_database,
        evaluations::two_positions_under_one_hash_are_an_error,
        annotations::a_crowd_waits_for_a_long_change,
    ]
);
