export type QuantityText = string | number

export type ResourceListText = Record<string, QuantityText>

export interface ResourceRequirements {
  requests?: ResourceListText
  limits?: ResourceListText
  claims?: { name: string; request?: string }[]
}
