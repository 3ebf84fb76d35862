import fc from 'fast-check'
import { parse as parseTOML } from 'smol-toml'
import { describe, expect, test } from 'vitest'
import { parse as parseYAML } from 'yaml'
import { renderUserData } from '../../../../../src/cloud/aws/userdata/user-data.ts'
import { demoInputs } from '../../../../support/user-data-inputs.ts'

/** Texts full of what ends quotes, lines and documents. */
const hostileText = fc
  .array(
    fc.constantFrom(
      '"',
      "'",
      '\n',
      '\r',
      '\\',
      '$(x)',
      '`',
      '--//',
      ': ',
      '#',
      ' ',
      ',',
      '=',
      'a',
      'ü',
      '\u2028',
      ']]',
      '{',
      '%',
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''))
const runs = { numRuns: 300, seed: 7 }

describe('whatever a value holds', () => {
  test("it comes out of Bottlerocket's TOML as it went in", () => {
    fc.assert(
      fc.property(hostileText, hostileText, (key, value) => {
        const labels = { [`k${key}`]: value }
        const document: unknown = parseTOML(
          renderUserData(
            demoInputs({
              family: 'Bottlerocket',
              labels,
              clusterName: value,
              taints: [{ key, value, effect: 'NoSchedule' }],
            }),
          ),
        )
        expect(document).toMatchObject({
          settings: {
            kubernetes: {
              'cluster-name': value,
              'node-labels': labels,
              'node-taints': { [key]: [`${value}:NoSchedule`] },
            },
          },
        })
      }),
      runs,
    )
  })

  test("it comes out of nodeadm's YAML as it went in, apart from carriage returns, and cannot end its MIME part", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const value = text.replaceAll('\r', '')
        const rendered = renderUserData(
          demoInputs({ labels: {}, taints: [], rawKubelet: { tricky: value }, clusterName: value }),
        )
        const parts = rendered.split(/\n--\/\/\n/)
        expect(parts).toHaveLength(2)
        const body = (parts[1] ?? '')
          .replace(/^Content-Type: application\/node\.eks\.aws\n\n/, '')
          .replace(/\n--\/\/--\n$/, '')
        expect(parseYAML(body)).toMatchObject({
          spec: { cluster: { name: value }, kubelet: { config: { tricky: value } } },
        })
      }),
      runs,
    )
  })

  test('a PowerShell line holds it in its quotes or is not made', () => {
    // PowerShell takes curly quotes for straight ones.
    const quotes = (text: string): number => text.match(/['\u2018-\u201b]/g)?.length ?? 0
    const lineFor = (value: string): string => {
      const text = renderUserData(
        demoInputs({
          family: 'Windows2022',
          labels: { team: value },
          taints: [{ key: 'k', value, effect: 'NoSchedule' }],
        }),
      )
      return text.split('\n').find((it) => it.startsWith('& $EKSBootstrapScriptFile')) ?? ''
    }
    const plain = quotes(lineFor('web'))
    fc.assert(
      fc.property(hostileText, fc.constantFrom('', '\u2019', '\u201b'), (text, quote) => {
        const value = `${text}${quote}`
        let line: string
        try {
          line = lineFor(value)
        } catch (error) {
          expect(String(error)).toContain("cannot be passed to the node's bootstrap safely")
          return
        }
        expect(line).toContain(`team=${value}`)
        expect(quotes(line)).toBe(plain)
      }),
      runs,
    )
  })

  test('a shell line holds it in its quotes or is not made', () => {
    fc.assert(
      fc.property(hostileText, (value) => {
        let text: string
        try {
          text = renderUserData(demoInputs({ family: 'AL2', labels: { team: value }, clusterName: 'demo' }))
        } catch (error) {
          expect(String(error)).toContain("cannot be passed to the node's bootstrap safely")
          return
        }
        const line = text.split('\n').find((it) => it.startsWith('--kubelet-extra-args')) ?? ''
        expect(line).toContain(`team=${value}`)
        expect(line.split("'")).toHaveLength(3)
      }),
      runs,
    )
  })
})
