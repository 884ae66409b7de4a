import { createLiveArea, withoutControls } from "./live-area.ts";
import type { Style } from "./style.ts";
import { cutText, wrapText } from "./text-width.ts";
import type { Screen } from "./typed-lines.ts";
import { cutLabel, toTypedRows } from "./typed-rows.ts";
import { editText, insertText, isNewLine, type Key, moveLine, NOTHING_TYPED, type TypedText } from "./typed-text.ts";

/** What a screen takes of the process. */
export interface ScreenPorts {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly style: Style;
  /** Newest first; more may be added while it is open. */
  readonly history: readonly string[];
  readonly interrupt: () => void;
  readonly suspend: () => void;
}

/** A paste comes between these, so its line breaks are no Enter. */
const PASTES = { on: "\u001b[?2004h", off: "\u001b[?2004l" } as const;
/** Text that streams in is drawn at most that often, in milliseconds. */
const PACE = 16;
/** Rows of an answer whose line has no end yet. */
const MOST_UNFINISHED = 6;
const MOST_ECHOED = 12;

/** Takes the terminal over: typing with editing keys, lines and pastes of several lines; the arrow keys bring back what was said. */
export function openScreen(ports: ScreenPorts): Screen {
  return new TerminalScreen(ports);
}

class TerminalScreen implements Screen {
  readonly #ports: ScreenPorts;
  readonly #area;
  #typed: TypedText = NOTHING_TYPED;
  /** What was typed before a question came between. */
  #draft: TypedText | null = null;
  #label = "";
  #isAsked = false;
  /** Which of the history is shown; -1 is none. */
  #past = -1;
  #pasted: string[] | null = null;
  #status: string | null = null;
  /** What was written without the end of its line. */
  #rest = "";
  /** What is being said, and will be written when its line is whole. */
  #saying = "";
  /** Whole lines that are not drawn yet. */
  #lines = "";
  #timer: NodeJS.Timeout | null = null;
  #listener: (line: string) => void = () => {};
  #onEnd: () => void = () => {};
  #isClosed = false;

  constructor(ports: ScreenPorts) {
    this.#ports = ports;
    const { input, output } = ports;
    this.#area = createLiveArea(
      (text) => void output.write(text),
      () => output.columns || 80,
    );
    process.getBuiltinModule("node:readline").emitKeypressEvents(input);
    this.#take();
    input.on("keypress", this.#onKey);
    input.on("end", this.#end);
    output.on("resize", this.#draw);
    process.on("exit", this.#restore);
    this.#draw();
  }

  prompt(text: string, what: "question" | "message"): void {
    const end = text.lastIndexOf("\n") + 1;
    const { above, label } = cutLabel(text.slice(end), this.#columns);
    this.print(text.slice(0, end) + above);
    this.#ask(label, what === "question");
  }

  giveUp(): void {
    this.#ask("", false);
  }

  /** What was said stays above, as it was said. */
  echo(label: string, text: string): void {
    const { style } = this.#ports;
    const place = { columns: this.#columns - 2, most: Number.POSITIVE_INFINITY };
    const [first = "", ...others] = toTypedRows("", { text, at: 0 }, place).rows;
    const shown = others.slice(0, MOST_ECHOED).map((row) => `  ${row}`);
    const more = others.length - shown.length;
    const rows = [`${style.bold(label)}${first}`, ...shown, ...(more > 0 ? [style.dim(`  … ${more} more lines`)] : [])];
    const said = `${rows.join("\n")}\n`;
    this.print(this.#isAsked ? said : `\n${said}\n`);
  }

  onLine(listener: (line: string) => void, onEnd: () => void = () => {}): () => void {
    this.#listener = listener;
    this.#onEnd = onEnd;
    return () => {
      this.#onEnd = () => {};
      this.close();
    };
  }

  print(text: string): void {
    const end = text.lastIndexOf("\n") + 1;
    if (end > 0) {
      this.#lines += this.#rest + withoutControls(text.slice(0, end));
      this.#rest = "";
    }
    this.#rest += withoutControls(text.slice(end));
    this.#drawSoon();
  }

  showUnfinished(text: string): void {
    this.#saying = withoutControls(text);
    this.#drawSoon();
  }

  showStatus(text: string | null): void {
    if (text === this.#status) return;
    this.#status = text === null ? null : withoutControls(text);
    if (!this.#isAsked) this.#drawSoon();
  }

  get #columns(): number {
    return this.#ports.output.columns || 80;
  }

  #ask(label: string, isQuestion: boolean): void {
    if (isQuestion && !this.#isAsked) {
      this.#draft = this.#typed;
      this.#typed = NOTHING_TYPED;
    }
    if (!isQuestion && this.#isAsked) {
      this.#typed = this.#draft ?? NOTHING_TYPED;
      this.#draft = null;
    }
    this.#isAsked = isQuestion;
    this.#label = label;
    this.#past = -1;
    this.#draw();
  }

  readonly #onKey = (character: string | undefined, key: Key): void => {
    if (this.#isClosed) return;
    if (key.name === "paste-start") this.#pasted = [];
    else if (key.name === "paste-end") this.#takePaste();
    else if (this.#pasted !== null) this.#pasted.push(toPasted(character, key));
    else this.#press(character, key);
  };

  #takePaste(): void {
    this.#typed = insertText(this.#typed, (this.#pasted ?? []).join("").replace(/\r\n?/g, "\n"));
    this.#pasted = null;
    this.#drawSoon();
  }

  #press(character: string | undefined, key: Key): void {
    const pressed = key.ctrl === true ? `ctrl+${key.name ?? ""}` : (key.name ?? "");
    if (pressed === "ctrl+c") this.#ports.interrupt();
    else if (pressed === "ctrl+z") this.#suspend();
    else if (pressed === "ctrl+d" && this.#typed.text === "") this.#end();
    else if (pressed === "return" && !isNewLine(key)) this.#enter();
    else if (pressed === "up" || pressed === "ctrl+p") this.#move(-1);
    else if (pressed === "down" || pressed === "ctrl+n") this.#move(1);
    else this.#typed = editText(this.#typed, key, character) ?? this.#typed;
    this.#drawSoon();
  }

  #move(by: -1 | 1): void {
    const moved = moveLine(this.#typed, by);
    const { history } = this.#ports;
    const past = this.#past - by;
    if (moved !== null) this.#typed = moved;
    else if (!this.#isAsked && past >= -1 && past < history.length) {
      if (this.#past === -1) this.#draft = this.#typed;
      const text = past === -1 ? (this.#draft?.text ?? "") : (history[past] ?? "");
      this.#past = past;
      this.#typed = { text, at: text.length };
    }
  }

  #enter(): void {
    const { text, at } = this.#typed;
    if (text[at - 1] === "\\" && !this.#isAsked) {
      this.#typed = { text: `${text.slice(0, at - 1)}\n${text.slice(at)}`, at };
      return;
    }
    const wasAsked = this.#isAsked;
    const isTaken = this.#label !== "";
    if (isTaken) this.echo(this.#label, text);
    this.#typed = NOTHING_TYPED;
    if (wasAsked) this.#ask("", false);
    this.#label = "";
    this.#past = -1;
    this.#listener(text);
  }

  #drawSoon(): void {
    if (this.#isClosed) this.#draw();
    else this.#timer ??= setTimeout(this.#draw, PACE);
  }

  readonly #draw = (): void => {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const lines = this.#lines;
    this.#lines = "";
    if (this.#isClosed) {
      this.#ports.output.write(lines + this.#rest);
      this.#rest = "";
      return;
    }
    if (lines !== "") this.#area.print(lines);
    const { style } = this.#ports;
    const columns = this.#columns;
    const unfinished = this.#rest + this.#saying;
    const said = unfinished === "" ? [] : unfinished.split("\n").flatMap((line) => wrapText(line, columns - 1));
    const above = [
      ...(unfinished === "" ? [""] : []),
      ...said.slice(-MOST_UNFINISHED).map((row) => cutText(row, columns - 1)),
      ...(this.#status === null || this.#isAsked ? [] : [style.dim(cutText(this.#status, columns - 1))]),
    ];
    const label = this.#label === "" ? "> " : this.#label;
    const most = (this.#ports.output.rows || 24) - above.length - 2;
    const { rows, cursor } = toTypedRows(label, this.#typed, { columns, most });
    const paint = this.#label === "" ? style.dim : style.bold;
    const painted = rows.map((row, at) =>
      at === 0 && row.startsWith(label) ? paint(label) + row.slice(label.length) : row,
    );
    this.#area.show([...above, ...painted], { ...cursor, row: cursor.row + above.length });
  };

  #take(): void {
    const { input, output } = this.#ports;
    input.setRawMode(true);
    input.resume();
    output.write(PASTES.on);
  }

  #suspend(): void {
    this.#area.clear();
    this.#restore();
    process.once("SIGCONT", () => {
      if (this.#isClosed) return;
      this.#take();
      this.#draw();
    });
    this.#ports.suspend();
  }

  readonly #restore = (): void => {
    const { input, output } = this.#ports;
    output.write(PASTES.off);
    input.setRawMode(false);
  };

  readonly #end = (): void => {
    const onEnd = this.#onEnd;
    this.#onEnd = () => {};
    onEnd();
  };

  close(): void {
    if (this.#isClosed) return;
    this.#draw();
    this.#area.clear();
    this.#isClosed = true;
    this.#restore();
    const { input, output } = this.#ports;
    process.off("exit", this.#restore);
    output.off("resize", this.#draw);
    input.off("keypress", this.#onKey);
    input.off("end", this.#end);
    input.pause();
    this.#draw();
  }
}

/** A paste is text, whatever its bytes would mean as keys. */
function toPasted(character: string | undefined, { name, sequence }: Key): string {
  if (name === "return" || name === "enter") return "\n";
  const text = character ?? sequence ?? "";
  return text === "\t" || !/^\p{Cc}/u.test(text) ? text : "";
}
