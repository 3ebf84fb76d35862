import { jsonEqual } from '../../../api/json.ts'
import { KubeError } from '../../../kube/errors.ts'
import { badRequest } from '../errors.ts'
import { isArray, isObject, type JsonObject } from '../json.ts'

/** RFC 6902. A failing test or a missing path makes the whole patch fail. */
export function jsonPatch(document: JsonObject, operations: readonly unknown[]): unknown {
  return operations.reduce((current: unknown, operation, index) => {
    if (!isObject(operation)) throw badRequest(`json patch operation ${index} is not an object`)
    return applyOperation(current, operation)
  }, document)
}

function applyOperation(document: unknown, operation: JsonObject): unknown {
  const path = pointer(operation['path'])
  switch (operation['op']) {
    case 'add':
      return change(document, path, { kind: 'add', value: operation['value'] ?? null })
    case 'replace':
      return change(document, path, { kind: 'replace', value: operation['value'] ?? null })
    case 'remove':
      return change(document, path, { kind: 'remove' })
    case 'move': {
      const from = pointer(operation['from'])
      const value = read(document, from)
      return change(change(document, from, { kind: 'remove' }), path, { kind: 'add', value })
    }
    case 'copy':
      return change(document, path, { kind: 'add', value: read(document, pointer(operation['from'])) })
    case 'test':
      if (!jsonEqual(tryRead(document, path), operation['value'])) {
        throw unprocessable()
      }
      return document
    default:
      throw unprocessable()
  }
}

type Edit = { readonly kind: 'add' | 'replace'; readonly value: unknown } | { readonly kind: 'remove' }

function pointer(text: unknown): readonly string[] {
  if (typeof text !== 'string' || (text !== '' && !text.startsWith('/'))) throw unprocessable()
  if (text === '') return []
  return text
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function read(document: unknown, path: readonly string[]): unknown {
  const value = tryRead(document, path)
  if (value === undefined) throw unprocessable()
  return value
}

function tryRead(document: unknown, path: readonly string[]): unknown {
  let current = document
  for (const step of path) {
    if (isArray(current)) current = current[Number(step)]
    else if (isObject(current) && Object.hasOwn(current, step)) current = current[step]
    else return undefined
  }
  return current
}

function change(document: unknown, path: readonly string[], edit: Edit): unknown {
  const [step, ...rest] = path
  if (step === undefined) {
    // The whole document cannot go, and what takes its place has to be one.
    if (edit.kind === 'remove' || !isObject(edit.value)) throw unprocessable()
    return edit.value
  }
  if (isArray(document)) return changeArray(document, { step, rest }, edit)
  if (!isObject(document)) throw unprocessable()
  if (rest.length > 0) {
    if (!Object.hasOwn(document, step)) throw unprocessable()
    return { ...document, [step]: change(document[step], rest, edit) }
  }
  if (edit.kind === 'remove' && !Object.hasOwn(document, step)) throw unprocessable()
  if (edit.kind === 'remove') {
    const { [step]: _removed, ...others } = document
    return others
  }
  return { ...document, [step]: edit.value }
}

function changeArray(
  list: readonly unknown[],
  { step, rest }: { readonly step: string; readonly rest: readonly string[] },
  edit: Edit,
): readonly unknown[] {
  const adding = edit.kind === 'add' && rest.length === 0
  const index = step === '-' && adding ? list.length : /^\d+$/.test(step) ? Number(step) : Number.NaN
  if (Number.isNaN(index) || index > list.length || (index === list.length && !adding)) throw unprocessable()
  if (rest.length > 0) return list.with(index, change(list[index], rest, edit))
  if (edit.kind === 'remove') return list.toSpliced(index, 1)
  return adding ? list.toSpliced(index, 0, edit.value) : list.with(index, edit.value)
}

/** A real server says no more than this. */
function unprocessable(): KubeError {
  return new KubeError('Invalid', 422, 'the server rejected our request due to an error in our request', {
    details: {},
  })
}
