/** Copies text; browsers may refuse, and on plain HTTP beyond this machine there is no clipboard at all. */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
