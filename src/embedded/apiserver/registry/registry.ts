import { compareText } from '../../../model/order.ts'
import type { KindDefinition } from './definition.ts'

/** The kinds the server serves at this moment: the built-in ones, and those of established CRDs. */
export class Registry {
  readonly #byPlural = new Map<string, KindDefinition>()
  readonly #byKind = new Map<string, KindDefinition>()
  #sorted: readonly KindDefinition[] | undefined
  #version = 0

  /** Changes whenever a kind comes or goes: discovery and OpenAPI documents are cached by it. */
  get version(): number {
    return this.#version
  }

  add(definition: KindDefinition): void {
    this.#byPlural.set(key(definition.group, definition.version, definition.plural), definition)
    this.#byKind.set(key(definition.group, definition.version, definition.kind), definition)
    this.#touch()
  }

  remove(definition: KindDefinition): void {
    this.#byPlural.delete(key(definition.group, definition.version, definition.plural))
    this.#byKind.delete(key(definition.group, definition.version, definition.kind))
    this.#touch()
  }

  find(group: string, version: string, plural: string): KindDefinition | undefined {
    return this.#byPlural.get(key(group, version, plural))
  }

  findKind(apiVersion: string, kind: string): KindDefinition | undefined {
    const slash = apiVersion.indexOf('/')
    const group = slash === -1 ? '' : apiVersion.slice(0, slash)
    return this.#byKind.get(key(group, apiVersion.slice(slash + 1), kind))
  }

  /** By group, then version, then plural. */
  all(): readonly KindDefinition[] {
    this.#sorted ??= [...this.#byPlural.values()].sort(
      (a, b) => compareText(a.group, b.group) || compareText(a.version, b.version) || compareText(a.plural, b.plural),
    )
    return this.#sorted
  }

  #touch(): void {
    this.#version += 1
    this.#sorted = undefined
  }
}

function key(group: string, version: string, name: string): string {
  return `${group}/${version}/${name}`
}
