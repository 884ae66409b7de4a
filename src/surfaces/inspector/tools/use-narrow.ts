import { useEffect, useState } from "preact/hooks";

/** Below this width the gates have no room beside the tools; with the details beside them they need more. */
const NARROW = { alone: "(max-width: 900px)", withDetails: "(max-width: 1180px)" } as const;

export function useNarrow(hasDetails: boolean): boolean {
  const media = hasDetails ? NARROW.withDetails : NARROW.alone;
  const [narrow, setNarrow] = useState(() => matchMedia(media).matches);
  useEffect(() => {
    const query = matchMedia(media);
    const update = () => setNarrow(query.matches);
    update();
    query.addEventListener("change", update);
    return () => query.removeEventListener("change", update);
  }, [media]);
  return narrow;
}
