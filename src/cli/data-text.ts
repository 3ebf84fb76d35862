import { Document, Scalar, visit } from 'yaml'
import { kubernetesYAML } from '../api/kubernetes-yaml.ts'

/*
 * Documents for programs. People look at them in a terminal, too, so what could move its cursor, end a line or turn the reading direction
 * is escaped wherever it stands in a text: the value stays the same.
 */

/** What neither JSON nor YAML has to escape, and a terminal may act on. */
const unprintable = /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g

/** `document` for people, `line` for one of several documents, one in each line. */
export function toJSON(value: unknown, layout: 'document' | 'line' = 'document'): string {
  return escaped(JSON.stringify(value, null, layout === 'document' ? 2 : undefined))
}

/** Without anchors and folded lines, and quoted where Kubernetes' tools need it, so that it reads the same in every tool. */
export function toYAML(value: unknown): string {
  const document = new Document(value, { ...kubernetesYAML, aliasDuplicateObjects: false })
  visit(document, {
    Scalar(_, node) {
      // Only between these quotes a character can be escaped.
      if (typeof node.value === 'string' && node.value.search(unprintable) !== -1) node.type = Scalar.QUOTE_DOUBLE
    },
  })
  return escaped(document.toString({ lineWidth: 0 }))
}

/** Of a text in which such characters stand between double quotes only. */
function escaped(text: string): string {
  return text.replaceAll(unprintable, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
