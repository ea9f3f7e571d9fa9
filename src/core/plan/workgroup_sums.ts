import { type DeviceTraits, plannedSubgroups } from "./traits.js";

/** How a workgroup adds up numbers: by subgroup operations where all subgroups have the same size. */
export function workgroupSums(traits: DeviceTraits) {
  const { size, varies } = plannedSubgroups(traits);
  if (!traits.subgroups || varies) return { variant: "plain", constants: {} } as const;
  return { variant: "known", constants: { SUBGROUP_SIZE: size } } as const;
}
