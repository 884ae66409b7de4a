import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Icon } from "./icon.tsx";

const SIDES = ["start", "end"] as const;

/** At each end of a strip that scrolls sideways and goes on there: a sign of it, which moves the strip. */
export function MoreBeyond({ of: strip }: { readonly of: RefObject<HTMLElement | null> }) {
  const beyond = useBeyond(strip);
  const move = (by: number) => {
    strip.current?.scrollBy({ left: by * strip.current.clientWidth * 0.7, behavior: "smooth" });
  };
  // The keyboard reaches everything in the strip itself.
  return SIDES.filter((side) => beyond[side]).map((side) => (
    <button
      key={side}
      type="button"
      class={`quiet bare more more-${side}`}
      tabIndex={-1}
      aria-hidden="true"
      onClick={() => move(side === "start" ? -1 : 1)}
    >
      <Icon name="open" />
    </button>
  ));
}

function useBeyond(strip: RefObject<HTMLElement | null>) {
  const [beyond, setBeyond] = useState({ start: false, end: false });
  useEffect(() => {
    const element = strip.current;
    if (element === null) return;
    const measure = () => {
      const { scrollLeft, scrollWidth, clientWidth } = element;
      setBeyond({ start: scrollLeft > 1, end: scrollLeft + clientWidth < scrollWidth - 1 });
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    if (element.firstElementChild !== null) observer.observe(element.firstElementChild);
    element.addEventListener("scroll", measure, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", measure);
    };
  }, [strip]);
  return beyond;
}
