// One review at a time; it goes on while another page is open.

import { Job } from './job.svelte';

export const job = new Job();

/** What stands in the form, for as long as the page lives. */
export const draft = $state({ text: '' });
