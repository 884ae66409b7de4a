/** Caches a value computed from an object, for as long as the object lives. */
export function remember<K extends object, V>(make: (key: K) => V): (key: K) => V {
  const known = new WeakMap<K, V>();
  return (key) => {
    const earlier = known.get(key);
    if (earlier !== undefined) return earlier;
    const made = make(key);
    known.set(key, made);
    return made;
  };
}
