import { describe, expect, test } from 'vitest'
import type { Container, PodSpec, PodStatus } from '../../../src/api/kubernetes.ts'
import { effectiveLimits, effectiveRequests, withDefaultRequests } from '../../../src/model/pod-requests.ts'
import { toResourceList } from '../../../src/model/resources.ts'

function container(cpu: string, rest: Partial<Container> = {}): Container {
  return { name: `c-${cpu}`, resources: { requests: { cpu } }, ...rest }
}

const sidecar = (cpu: string) => container(cpu, { restartPolicy: 'Always' })

function cpuOf(spec: PodSpec, status?: PodStatus): string | undefined {
  return effectiveRequests(spec, status).get('cpu')?.toString()
}

describe('requests of a pod', () => {
  const cases: Record<string, { spec: PodSpec; want: string }> = {
    'containers add up': { spec: { containers: [container('1'), container('500m')] }, want: '1500m' },
    'case 31: an init container that needs more decides': {
      spec: { containers: [container('1')], initContainers: [container('2')] },
      want: '2',
    },
    'case 31: a sidecar runs beside the init container after it': {
      spec: { containers: [container('1')], initContainers: [sidecar('4900m'), container('5')] },
      want: '9900m',
    },
    'case 31: an init container before the sidecar runs alone': {
      spec: { containers: [container('1')], initContainers: [container('5'), sidecar('4900m')] },
      want: '5900m',
    },
    'case 31: amounts of the pod override those of its containers': {
      spec: { containers: [container('1')], initContainers: [container('5')], resources: { requests: { cpu: '3' } } },
      want: '3',
    },
    'overhead comes on top': { spec: { containers: [container('1')], overhead: { cpu: '250m' } }, want: '1250m' },
  }
  test.each(Object.entries(cases))('%s', (_name, { spec, want }) => {
    expect(cpuOf(spec)).toBe(want)
  })

  test('amounts of the pod override CPU, memory and huge pages, and nothing else', () => {
    const resources = { requests: { cpu: '1', memory: '1Gi', 'hugepages-2Mi': '2Mi', 'example.com/x': '1' } }
    const whole = { requests: { cpu: '3', memory: '2Gi', 'hugepages-2Mi': '4Mi', 'example.com/x': '9' } }
    const requests = effectiveRequests({ containers: [{ name: 'a', resources }], resources: whole }, undefined)
    expect(toResourceList(requests)).toEqual({
      cpu: '3',
      memory: '2Gi',
      'hugepages-2Mi': '4Mi',
      'example.com/x': '1',
      pods: '1',
    })
  })

  test('every pod counts as one', () => {
    expect(toResourceList(effectiveRequests({ containers: [] }, undefined))).toEqual({ pods: '1' })
  })

  describe('after a resize in place', () => {
    const spec: PodSpec = { nodeName: 'n', containers: [container('2', { name: 'main' })] }
    const given = { containerStatuses: [{ name: 'main', allocatedResources: { cpu: '3' } }] }

    test('a bound pod counts what it has been given, if that is more', () => {
      expect(cpuOf(spec, given)).toBe('3')
      expect(cpuOf({ ...spec, containers: [container('4', { name: 'main' })] }, given)).toBe('4')
    })

    test('nor less than what it has now, until the kubelet has taken it back', () => {
      const resources = { requests: { cpu: '5' } }
      const shrinking = { containerStatuses: [{ name: 'main', allocatedResources: { cpu: '2' }, resources }] }
      expect(cpuOf(spec, shrinking)).toBe('5')
    })

    test('a sidecar counts what it has been given, too', () => {
      const beside = { ...spec, initContainers: [{ ...sidecar('1'), name: 'proxy' }] }
      const initContainerStatuses = [{ name: 'proxy', allocatedResources: { cpu: '2' } }]
      expect(cpuOf(beside, { initContainerStatuses })).toBe('4')
    })

    test('and only that when the resize is infeasible', () => {
      const wanting = { ...spec, containers: [container('40', { name: 'main' })] }
      expect(cpuOf(wanting, { ...given, resize: 'Infeasible' })).toBe('3')
    })

    test.each([
      ['PodResizePending', 'Infeasible', 'True', '3'],
      ['PodResizePending', 'Deferred', 'True', '40'],
      ['PodResizePending', 'Infeasible', 'False', '40'],
      ['PodResizeInProgress', 'Infeasible', 'True', '40'],
    ] as const)('as condition %s, reason %s, status %s tells: %s', (type, reason, status, want) => {
      const wanting = { ...spec, containers: [container('40', { name: 'main' })] }
      expect(cpuOf(wanting, { ...given, conditions: [{ type, reason, status }] })).toBe(want)
    })

    test('a pending pod counts what it asks for', () => {
      expect(cpuOf({ containers: spec.containers }, given)).toBe('2')
    })
  })
})

test('limits count overhead only where a limit is set', () => {
  const limited: PodSpec = {
    containers: [{ name: 'main', resources: { limits: { cpu: '1' } } }],
    overhead: { cpu: '250m', memory: '10Mi' },
  }
  expect(toResourceList(effectiveLimits(limited))).toEqual({ cpu: '1250m' })
})

describe('requests that the API server fills in', () => {
  const limited = (name: string, cpu: string): Container => ({ name, resources: { limits: { cpu } } })
  const cases: Record<string, { spec: PodSpec; want: string }> = {
    'a container requests its limit': { spec: { containers: [limited('a', '2')] }, want: '2' },
    'an init container, too': {
      spec: { containers: [container('1')], initContainers: [limited('a', '2')] },
      want: '2',
    },
    'a request stays what it is': {
      spec: { containers: [{ name: 'a', resources: { requests: { cpu: '1' }, limits: { cpu: '2' } } }] },
      want: '1',
    },
    'a pod requests its limit': {
      spec: { containers: [{ name: 'a' }], resources: { limits: { cpu: '3' } } },
      want: '3',
    },
    'a pod whose containers request something requests that': {
      spec: { containers: [container('1')], resources: { limits: { cpu: '3' } } },
      want: '1',
    },
  }
  test.each(Object.entries(cases))('%s', (_name, { spec, want }) => {
    expect(cpuOf(withDefaultRequests(spec))).toBe(want)
  })
})
