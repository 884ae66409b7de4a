/** Ends something when nobody has used it for a while. */
export interface IdleEnd {
  /** To be called whenever somebody comes or goes. */
  look(): void;
  close(): void;
}

export function createIdleEnd(after: number, isUsed: () => boolean, end: () => void): IdleEnd {
  let timer: NodeJS.Timeout | null = null;
  let isClosed = false;
  const stop = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
  };
  const look = (): void => {
    if (isClosed) return;
    if (isUsed()) return void stop();
    timer ??= setTimeout(() => {
      timer = null;
      // Who came without a word meanwhile, such as somebody who looks at the page, keeps it.
      if (isUsed()) timer = setTimeout(look, after);
      else end();
    }, after);
  };
  look();
  return {
    look,
    close() {
      // Clients still leave meanwhile, and none of them may start another wait.
      isClosed = true;
      stop();
    },
  };
}
