import type { Device } from '../../../src/api/kubernetes.ts'
import { driver } from '../device-objects.ts'
import type { DeviceCase } from './device-case.ts'
import { ask, attributes, having, modelled, own } from './parts.ts'

const cel = (expression: string, list: readonly Device[] = modelled('A')): DeviceCase => ({
  slices: [own(list)],
  claims: [ask(having(expression))],
})
const refused = (given: DeviceCase): DeviceCase => ({ ...given, refused: true })

/** What CEL of a selector may ask of a device. */
export const selectorCases: Record<string, DeviceCase> = {
  'a selector that only a later device fails': {
    slices: [own([...modelled('A'), { name: 'z' }])],
    claims: [ask(having(`${attributes}.model == "A"`))],
  },
  'a selector that an earlier device fails': {
    slices: [own([{ name: 'a' }, ...modelled('A')])],
    claims: [ask(having(`${attributes}.model == "A"`))],
    refused: true,
  },
  'a field that is tested': cel(`has(${attributes}.model)`),
  'a field that is tested and not there': refused(cel(`has(${attributes}.other)`)),
  'a key that is tested': cel(`"model" in ${attributes}`),
  'a field by its key': cel(`${attributes}["model"] == "A"`),
  'a bound domain': cel(`cel.bind(d, ${attributes}, d.model == "A")`),
  'a bound domain and a test': cel(`cel.bind(d, ${attributes}, has(d.model) && d.model == "A")`),
  'an optional field': cel(`${attributes}.?model.orValue("B") == "A"`),
  'an optional field that is not there': cel(`${attributes}.?other.orValue("B") == "B"`),
  'an optional domain': cel(`device.attributes[?"${driver}"].hasValue()`),
  'a domain that nobody knows': cel('device.attributes["other.example.com"].size() == 0'),
  'whether a domain is there': cel(`"${driver}" in device.attributes`),
  'whether an unknown domain is there': refused(cel('"other.example.com" in device.attributes')),
  'whether a domain of capacities is there': cel(`"${driver}" in device.capacity`, [
    { name: 'a', capacity: { memory: { value: '2Gi' } } },
  ]),
  'single quotes': cel(`has(device.attributes['${driver}'].model)`),
  'a version': cel(`${attributes}.version.major() == 1 && ${attributes}.version.compareTo(semver("1.9.9")) > 0`, [
    { name: 'a', attributes: { version: { version: '1.10.0' } } },
  ]),
  'a version to be set right': cel(`${attributes}.version.isGreaterThan(semver("v1.9", true))`, [
    { name: 'a', attributes: { version: { version: '1.10.0' } } },
  ]),
  'a capacity': cel(`device.capacity["${driver}"].memory.isGreaterThan(quantity("1Gi"))`, [
    { name: 'a', capacity: { memory: { value: '2Gi' } } },
  ]),
  'a capacity as a whole number': cel(`device.capacity["${driver}"].memory.asInteger() == 2`, [
    { name: 'a', capacity: { memory: { value: '2' } } },
  ]),
  'a word in a list': cel(`${attributes}.model in ["A", "B"]`),
  'a pattern': cel(`${attributes}.model.matches("^[A-C]$")`),
  'small letters': cel(`${attributes}.model.lowerAscii() == "a"`),
  'a choice': cel(`${attributes}.model == "A" ? true : false`),
}
