/** How a browser without windows is started, wherever this project starts one. */
export const CHROMIUM_ARGUMENTS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // Each page has an origin of its own: one process for all of them, and none to draw, costs two thirds.
  "--renderer-process-limit=1",
  "--disable-site-isolation-trials",
  "--in-process-gpu",
  "--disable-gpu-compositing",
  // No page lives long enough to pay for being optimized.
  "--js-flags=--no-opt --single-threaded",
];
