import { Document, isCollection, isMap, isScalar, parseAllDocuments, visit } from 'yaml'
import type { Taint } from '../../../api/kubernetes.ts'
import { kubernetesYAML } from '../../../api/kubernetes-yaml.ts'
import { compareText } from '../../../model/order.ts'
import { requireFit, type UserDataInputs, UserDataError } from './inputs.ts'
import { nodeLabelsFlag } from './kubelet-flags.ts'
import { cloudInitType, headerValue, isMime, knownToCloudInit, type MimePart, readMime, writeMime } from './mime.ts'
import { decodedPart } from './transfer-encoding.ts'

const nodeConfigType = 'application/node.eks.aws'

/** The user's parts first; nodeadm merges what comes later over what came before. */
export function al2023UserData(inputs: UserDataInputs): string {
  return writeMime([...customParts(inputs.customUserData), part(nodeConfigType, nodeConfig(inputs))])
}

function customParts(custom: string | undefined): MimePart[] {
  if (custom === undefined || custom === '') return []
  if (isMime(custom)) {
    return readMime(custom).map(toOwnPart)
  }
  // Goes in as it stands. Whether it is YAML takes seconds to find out of a text of some hundred kilobytes, which is of no use to any node.
  requireFit(custom.replaceAll('\r', ''))
  // Settings of cloud-init are YAML, too, and no NodeConfig: nodeadm would give up over them.
  const isNodeConfig = knownToCloudInit(custom) === undefined && isYAMLMapping(custom)
  return [part(isNodeConfig ? nodeConfigType : cloudInitType(custom), custom)]
}

/** Decoded, for nodeadm decodes nothing; without headers that nobody reads. */
function toOwnPart(custom: MimePart): MimePart {
  const { headers, content } = decodedPart(custom)
  const encoding = headerValue(headers, 'content-transfer-encoding')
  const own = part(headerValue(headers, 'content-type') ?? '', content)
  return encoding === undefined ? own : { ...own, headers: [...own.headers, `Content-Transfer-Encoding: ${encoding}`] }
}

function part(type: string, content: string): MimePart {
  return { headers: [`Content-Type: ${type}`], content }
}

/**
 * As sigs.k8s.io/yaml reads it: no more than the first document, keys may come twice, and none may be a mapping or a list. Nobody sees what is
 * wrong with it, and finding the line of each error goes through the text once more.
 */
function isYAMLMapping(text: string): boolean {
  const quietly = { uniqueKeys: false, logLevel: 'error', prettyErrors: false } as const
  try {
    const [document] = parseAllDocuments(text, { ...kubernetesYAML, ...quietly })
    if (document === undefined || isScalar(document.contents)) return (document?.toJS() ?? null) === null
    return document.errors.length === 0 && isMap(document.contents) && hasPlainKeys(document)
  } catch {
    return false
  }
}

function hasPlainKeys(document: Document.Parsed): boolean {
  let arePlain = true
  visit(document, {
    Pair(_, { key }) {
      if (isCollection(key)) arePlain = false
    },
  })
  // An alias of nothing shows only here.
  document.toJS()
  return arePlain
}

function nodeConfig(inputs: UserDataInputs): string {
  if (inputs.clusterCIDR === undefined) throw new UserDataError('resolving cluster CIDR')
  const labels = nodeLabelsFlag(inputs.labels)
  const config = {
    apiVersion: 'node.eks.aws/v1alpha1',
    kind: 'NodeConfig',
    metadata: {},
    spec: {
      cluster: {
        apiServerEndpoint: inputs.clusterEndpoint,
        ...(inputs.caBundle === '' ? {} : { certificateAuthority: inputs.caBundle }),
        cidr: inputs.clusterCIDR,
        name: inputs.clusterName,
      },
      containerd: {},
      instance: { localStorage: inputs.raid0 ? { strategy: 'RAID0' } : {} },
      kubelet: {
        config: {
          ...inputs.rawKubelet,
          ...(inputs.taints.length === 0 ? {} : { registerWithTaints: inputs.taints.map(toWireTaint) }),
        },
        ...(labels === undefined ? {} : { flags: [labels] }),
      },
    },
  }
  return `# Karpenter Generated NodeConfig\n${toYAML(config)}`
}

function toWireTaint({ key, value, effect }: Taint): object {
  return { effect, key, ...(value === undefined || value === '' ? {} : { value }) }
}

/** Keys sorted at each level, sequences not indented, nothing folded. YAML 1.1 quoting, which is what nodeadm's reader expects. */
function toYAML(value: object): string {
  const document = new Document(value, {
    sortMapEntries: (a, b) => compareText(String(a.key), String(b.key)),
    version: '1.1',
    aliasDuplicateObjects: false,
  })
  visit(document, {
    Scalar(_, scalar) {
      if (typeof scalar.value === 'string' && isNumberToGo(scalar.value)) scalar.type = 'QUOTE_SINGLE'
    },
  })
  return document.toString({ indentSeq: false, lineWidth: 0, singleQuote: true })
}

/** Beyond YAML 1.1 also `0o17`, `0X1F` and `1_0e_2`, and a taint whose value is no text is none. */
function isNumberToGo(text: string): boolean {
  return goNumber.test(text.replaceAll('_', ''))
}

const goNumber = /^[-+]?(?:0x[\da-f]+|0b[01]+|0o[0-7]+|(?:\.\d+|\d+(?:\.\d*)?)(?:e[-+]?\d+)?)$/i
