import { useCallback, useEffect, useState } from "preact/hooks";
import { type PageAddress, readAddress, toFragment } from "./address.ts";

/** Starts from the page's current address: an earlier one may be stale. */
export type Go = (change: Partial<PageAddress> | ((last: PageAddress) => Partial<PageAddress>)) => void;

/** Where the page is. Moving between panels and tools can be undone by Back; typing replaces its own step. */
export function useAddress(): readonly [PageAddress, Go] {
  const [address, setAddress] = useState(() => readAddress(location.hash));
  useEffect(() => {
    const update = () => setAddress(readAddress(location.hash));
    addEventListener("hashchange", update);
    return () => removeEventListener("hashchange", update);
  }, []);
  const go = useCallback<Go>((change) => {
    const last = readAddress(location.hash);
    const next = { ...last, ...(typeof change === "function" ? change(last) : change) };
    const isStep = last.panel !== next.panel || last.tool !== next.tool || last.run !== next.run;
    history[isStep ? "pushState" : "replaceState"](null, "", toFragment(next));
    setAddress(next);
  }, []);
  return [address, go];
}
