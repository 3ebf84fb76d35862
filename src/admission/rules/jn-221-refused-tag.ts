import type { Problem, Rule } from '../rule.ts'

const keyMax = 128
const valueMax = 256

/** The definitions take any key and value; what AWS takes, it says when something is to be made with them. */
export const refusedTag: Rule = {
  id: 'JN-221',
  title: 'A tag that EC2 refuses',
  severity: 'warn',
  looksAt: 'object',
  fix: `Give the tag a key that does not begin with aws: and has at most ${keyMax} characters, and a value of at most ${valueMax}.`,
  check(subject) {
    if (subject.kind !== 'EC2NodeClass') return []
    return Object.entries(subject.object.spec?.tags ?? {}).flatMap(([key, value]) => problemsOf(key, value))
  },
}

function problemsOf(key: string, value: string): Problem[] {
  const path = `spec.tags[${key}]`
  if (/^aws:/i.test(key)) return [{ path, message: 'EC2 refuses it: keys that begin with aws: are its own' }]
  if (!hasAtMost(keyMax, key)) {
    // As a part of the path it would leave no room for what is wrong with it.
    return [{ path: 'spec.tags', message: `EC2 refuses a tag: its key has more than ${keyMax} characters` }]
  }
  if (hasAtMost(valueMax, value)) return []
  return [{ path, message: `EC2 refuses it: the value has more than ${valueMax} characters` }]
}

function hasAtMost(count: number, text: string): boolean {
  return new RegExp(`^.{0,${count}}$`, 'su').test(text)
}
