/**
 * The processors of a large GPU, each of which runs some workgroups at a time: the multiprocessors of an H100 and
 * of an H200, on which the tuning tables were measured. WebGPU does not tell this number of a device, so tables
 * count workgroups in multiples of it for all. With fewer or more processors a sort is as right, only its last
 * workgroups may leave some of them idle.
 */
export const PROCESSORS = 132;
