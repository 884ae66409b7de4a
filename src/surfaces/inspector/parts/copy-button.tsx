import { useEffect, useState } from "preact/hooks";
import { useConnection } from "../live/connection.ts";
import { Icon } from "./icon.tsx";

interface CopyProps {
  readonly text: string;
  /** What is copied, as part of "Copy …". */
  readonly what: string;
  /** Words on the button; only an icon without them. */
  readonly words?: string;
}

const SAID_FOR_MS = 1_500;

export function CopyButton({ text, what, words }: CopyProps) {
  const { announce } = useConnection();
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), SAID_FOR_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async () => {
    const done = await copyText(text);
    setCopied(done);
    announce(done ? `Copied ${what}` : `Could not copy ${what}`);
  };
  return (
    <button
      type="button"
      class={words === undefined ? "quiet small bare" : "quiet small"}
      aria-label={`Copy ${what}`}
      title={`Copy ${what}`}
      onClick={copy}
    >
      <Icon name={isCopied ? "done" : "copy"} />
      {words !== undefined && <span>{isCopied ? "Copied" : words}</span>}
    </button>
  );
}

/** The clipboard is there only on https and loopback; elsewhere the old way still works. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = document.createElement("textarea");
    field.value = text;
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    return done;
  }
}
