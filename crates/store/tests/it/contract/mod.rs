//! What every backend must do. Each case takes a kind of database and makes its own.

mod concurrency;
mod journal;
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

macro_rules! contract {
    ($($cases:tt)*) => {
        run_on!(sqlite_memory, crate::fixture::Kind::SqliteMemory, [$($cases)*]);
        run_on!(sqlite_file, crate::fixture::Kind::SqliteFile, [$($cases)*]);
        run_on!(postgres, crate::fixture::Kind::Postgres, [$($cases)*]);
    };
}

contract! {
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
    journal::a_failing_commit_leaves_nothing,
    reads::ids_are_ordered_as_u64_and_paged,
    reads::repertoires_and_their_moves,
    reads::counts,
    concurrency::many_writers_are_as_one,
}

run_on!(
    sqlite_file_reopened,
    crate::fixture::Kind::SqliteFile,
    [
        upserts::identity_is_fixed_by_the_first_write,
        concurrency::many_may_create_one_database,
    ]
);
run_on!(
    postgres_reopened,
    crate::fixture::Kind::Postgres,
    [
        upserts::identity_is_fixed_by_the_first_write,
        concurrency::many_may_create_one_database,
    ]
);
