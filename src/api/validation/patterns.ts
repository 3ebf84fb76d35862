import { RE2JS } from 're2js'
import { BoundedMemo } from '../bounded-memo.ts'

/** Patterns come from schemas and rules, so there are few; the bound only guards against expressions that build them. */
const compiled = new BoundedMemo<string, RE2JS>(2_000)

/** An RE2 expression, compiled once. Throws on a pattern that RE2 does not accept. */
export function re2(pattern: string): RE2JS {
  return compiled.of(pattern, (text) => RE2JS.compile(text))
}

/**
 * Whether the pattern occurs anywhere in the text. It asks for no groups, so that an automaton answers: several times as fast as a search
 * that has to say where.
 */
export function containsMatch(pattern: string, text: string): boolean {
  return re2(pattern).test(text)
}

/** A pattern of a schema, for generated code: compiled when something is first held against it, since most runs need few of them. */
export function schemaPattern(pattern: string): { readonly test: (text: string) => boolean } {
  return { test: (text) => containsMatch(pattern, text) }
}
