const held = new Set<() => void>();

/**
 * Holds back what is written to processes until this turn of the event loop is over, so that it is sent together: every
 * piece wakes the other process.
 */
export function holdInput(release: () => void): void {
  if (held.size === 0) setImmediate(releaseInput);
  held.add(release);
}

/** Sends it now, because nothing will be added soon: from a turn that began late, the next one is a whole round away. */
export function releaseInput(): void {
  for (const release of held) {
    held.delete(release);
    release();
  }
}
