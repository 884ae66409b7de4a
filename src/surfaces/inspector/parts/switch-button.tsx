import { useState } from "preact/hooks";
import type { SwitchView } from "../../http/api.ts";
import { useConnection } from "../live/connection.ts";
import { toPlainText } from "./reveal-text.ts";
import { ShownText } from "./shown-text.tsx";

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
  const [isBusy, setBusy] = useState(false);
  const [said, setSaid] = useState<{ readonly text: string; readonly isBad: boolean } | null>(null);
  const turn = async () => {
    setBusy(true);
    setSaid(null);
    try {
      const written = await api.post<SwitchView>(`${path}/${isOn ? "off" : "on"}`);
      const place = written.line === null ? written.file : `${written.file}:${written.line}`;
      const text = written.isOn ? `Removed ${written.text} from ${place}` : `Wrote ${written.text} to ${place}`;
      setSaid({ text, isBad: false });
      announce(toPlainText(text));
    } catch (error) {
      setSaid({ text: error instanceof Error ? error.message : String(error), isBad: true });
    } finally {
      setBusy(false);
    }
  };
  return (
    <span class="switch">
      <button
        type="button"
        class={isOn ? "danger" : ""}
        disabled={isBusy}
        aria-label={`${isOn ? (words ?? "Turn off") : "Turn on"} ${toPlainText(name)}`}
        onClick={turn}
      >
        {isOn ? (words ?? "Turn off") : "Turn on"}
      </button>
      {said !== null && (
        <span class={said.isBad ? "tone-bad" : "dim"} role={said.isBad ? "alert" : "status"}>
          <ShownText text={said.text} />
        </span>
      )}
    </span>
  );
}
