interface FilterProps {
  /** For people who do not see the hint. */
  readonly label: string;
  readonly hint: string;
  readonly value: string;
  set(value: string): void;
}

/** Narrows a list while somebody types. */
export function FilterField({ label, hint, value, set }: FilterProps) {
  return (
    <label class="field grow">
      <span class="away">{label}</span>
      <input type="search" value={value} placeholder={hint} onInput={(event) => set(event.currentTarget.value)} />
    </label>
  );
}
