/**
 * The same function, computed once for each object: for what is read again and again from objects that nobody changes, as those of the
 * caches and everything made from them. The answer goes when its object does.
 */
export function byIdentity<Key extends object, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  // The answer itself, without an object around it: there are hundreds of thousands of them.
  const known = new WeakMap<Key, Value>()
  return (key) => {
    const found = known.get(key)
    if (found !== undefined || known.has(key)) return found as Value
    const value = compute(key)
    known.set(key, value)
    return value
  }
}
