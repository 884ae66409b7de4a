import { useState } from "preact/hooks";
import type { SwitchView } from "../../http/api/api.ts";
import { useConnection } from "../live/connection.ts";
import { useAction } from "../live/use-action.ts";
import { toOneLine } from "./reveal-text.ts";
import { ShownText } from "./shown-text.tsx";
import { Failure } from "./status.tsx";

interface SwitchProps {
  /** `tools/NAME` or `servers/NAME` of the API. */
  readonly path: string;
  readonly name: string;
  readonly isOn: boolean;
  /** In place of "Turn off". */
  readonly words?: string;
}

/** Turns a tool or a server on or off in the person's own file, and shows the line. */
export function SwitchButton({ path, name, isOn, words }: SwitchProps) {
  const { api, announce } = useConnection();
  const { isBusy, failure, run } = useAction();
  const [said, setSaid] = useState<string | null>(null);
  const action = isOn ? (words ?? "Turn off") : "Turn on";
  const turn = () =>
    run(async () => {
      setSaid(null);
      const written = await api.post<SwitchView>(`${path}/${isOn ? "off" : "on"}`);
      const place = written.line === null ? written.file : `${written.file}:${written.line}`;
      const text = written.isOn ? `Removed ${written.text} from ${place}` : `Wrote ${written.text} to ${place}`;
      setSaid(text);
      announce(toOneLine(text));
    });
  return (
    <span class="row wraps">
      <button
        type="button"
        class={isOn ? "quiet small" : "small"}
        disabled={isBusy}
        aria-label={`${action} ${toOneLine(name)}`}
        onClick={turn}
      >
        {action}
      </button>
      <Failure text={failure} />
      {said !== null && (
        <span class="dim" role="status">
          <ShownText text={said} />
        </span>
      )}
    </span>
  );
}
