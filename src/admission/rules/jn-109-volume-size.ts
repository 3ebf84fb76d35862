import { parseExactQuantity } from '../../api/exact-quantity.ts'
import type { Rule } from '../rule.ts'

export const volumeSizeQuantity: Rule = {
  id: 'JN-109',
  title: 'A volume size must be a quantity',
  severity: 'deny',
  looksAt: 'object',
  fix: 'Give a number before the unit, such as 1Ti.',
  check: (subject) =>
    subject.kind !== 'EC2NodeClass'
      ? []
      : (subject.object.spec?.blockDeviceMappings ?? []).flatMap(({ ebs }, index) =>
          ebs?.volumeSize === undefined || parseExactQuantity(ebs.volumeSize) !== undefined
            ? []
            : [
                {
                  path: `spec.blockDeviceMappings[${index}].ebs.volumeSize`,
                  message: `"${ebs.volumeSize}" is a unit without a number`,
                },
              ],
        ),
}
