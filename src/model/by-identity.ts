/**
 * The same function, computed once for each object: for what is read again and again from objects that nobody changes, as those of the
 * caches and everything made from them. The answer goes when its object does.
 */
export function byIdentity<Key extends object, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const known = new WeakMap<Key, { readonly value: Value }>()
  return (key) => {
    let found = known.get(key)
    if (found === undefined) {
      found = { value: compute(key) }
      known.set(key, found)
    }
    return found.value
  }
}
