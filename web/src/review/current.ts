// One review at a time; it goes on while another page is open.

import { Job } from './job.svelte';

export const job = new Job();
