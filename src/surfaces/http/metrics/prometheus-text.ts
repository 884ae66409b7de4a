type Labels = Readonly<Record<string, string>>;

/** One metric family in Prometheus's text format (0.0.4). */
export interface MetricFamily {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly samples: readonly Sample[];
}

interface Sample {
  readonly suffix?: string;
  readonly labels?: Labels;
  readonly value: number;
}

export function toPrometheusText(families: readonly MetricFamily[]): string {
  return families.map(writeFamily).join("");
}

function writeFamily({ name, help, type, samples }: MetricFamily): string {
  const lines = samples.map(
    ({ suffix = "", labels = {}, value }) => `${name}${suffix}${writeLabels(labels)} ${value}\n`,
  );
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("")}`;
}

function writeLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escapeLabel(value: string): string {
  return value.replace(/[\\"\n]/g, (character) => (character === "\n" ? "\\n" : `\\${character}`));
}

/** A counter for each combination of labels; those beyond the limit are counted as `other`. */
export function createCounters(labels: readonly string[], most: number) {
  const counts = new Map<string, { readonly values: readonly string[]; count: number }>();
  return {
    add(...values: readonly string[]): void {
      const key = values.length === 1 && values[0] !== undefined ? values[0] : values.join("\n");
      let counted = counts.get(key);
      if (counted === undefined) {
        const known = counts.size < most ? values : ["other", ...values.slice(1)];
        const own = counts.size < most ? key : known.join("\n");
        counted = counts.get(own) ?? { values: known, count: 0 };
        counts.set(own, counted);
      }
      counted.count += 1;
    },
    samples: (): readonly Sample[] =>
      [...counts.values()].map(({ values, count }) => ({
        labels: Object.fromEntries(labels.map((label, at) => [label, values[at] ?? ""])),
        value: count,
      })),
  };
}

/** How often a number of seconds was at most each of the bounds. */
export function createHistogram(bounds: readonly number[]) {
  const counts = new Float64Array(bounds.length + 1);
  let sum = 0;
  return {
    observe(seconds: number): void {
      let at = 0;
      while (at < bounds.length && seconds > (bounds[at] ?? 0)) at += 1;
      counts[at] = (counts[at] ?? 0) + 1;
      sum += seconds;
    },
    samples(): readonly Sample[] {
      let total = 0;
      const buckets = [...counts].map((count, at): Sample => {
        total += count;
        return { suffix: "_bucket", labels: { le: String(bounds[at] ?? "+Inf") }, value: total };
      });
      return [...buckets, { suffix: "_sum", value: sum }, { suffix: "_count", value: total }];
    },
  };
}
