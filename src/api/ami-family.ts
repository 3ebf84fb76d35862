import type { EC2NodeClassSpec } from './karpenter.ts'

export const amiFamilies = [
  'AL2',
  'AL2023',
  'Bottlerocket',
  'Custom',
  'Windows2019',
  'Windows2022',
  'Windows2025',
] as const
export type AMIFamilyName = (typeof amiFamilies)[number]

/** `spec.amiFamily`, else that of the alias, else Custom. */
export function resolvedAMIFamily(spec: Pick<EC2NodeClassSpec, 'amiFamily' | 'amiSelectorTerms'>): AMIFamilyName {
  if (spec.amiFamily !== undefined) return spec.amiFamily
  const alias = spec.amiSelectorTerms.find((term) => term.alias !== undefined)?.alias?.split('@')[0]
  return amiFamilies.find((family) => family.toLowerCase() === alias) ?? 'Custom'
}
