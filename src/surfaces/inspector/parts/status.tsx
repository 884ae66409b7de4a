import type { ComponentChildren } from "preact";
import type { ShownStanding } from "../../http/api/api.ts";
import type { Resource } from "../live/use-resource.ts";
import { Icon, type IconName } from "./icon.tsx";
import { ShownText } from "./shown-text.tsx";

export function StandingBadge({ standing }: { readonly standing: ShownStanding }) {
  return (
    <span class={`badge tone-${standing}`}>
      <Icon name={standing} />
      {standing}
    </span>
  );
}

export type Tone = "good" | "warn" | "bad" | "plain";

export function Badge({ tone, icon, text }: { readonly tone: Tone; readonly icon?: IconName; readonly text: string }) {
  return (
    <span class={`badge tone-${tone}`}>
      {icon !== undefined && <Icon name={icon} />}
      <ShownText text={text} />
    </span>
  );
}

/** Replaces a panel's content: why there is none, or what went wrong. */
export function ResourceNote({ resource, what }: { readonly resource: Resource<unknown>; readonly what: string }) {
  if (resource.failure !== null) {
    return (
      <div class="note row tone-bad" role="alert">
        <Icon name="warning" />
        <div>
          <ShownText text={resource.failure.message} />
          {resource.failure.code !== "" && <code class="dim"> {resource.failure.code}</code>}
        </div>
      </div>
    );
  }
  return resource.value === null && resource.isLoading ? <p class="empty">Loading {what} …</p> : null;
}

/** The error of a person's action; nothing if it is null. */
export function Failure({ text }: { readonly text: string | null }) {
  if (text === null) return null;
  return (
    <span class="failure" role="alert">
      <ShownText text={text} />
    </span>
  );
}

export function Empty({ children }: { readonly children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}
