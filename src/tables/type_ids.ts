/**
 * The numbers of Arrow's types, as `apache-arrow` gives them in `DataType.typeId`. They are repeated here so
 * that code that looks at types need not load the package first. Source: Schema.fbs of the Arrow format.
 */
export const TypeId = {
  dictionary: -1,
  null: 1,
  int: 2,
  float: 3,
  binary: 4,
  utf8: 5,
  bool: 6,
  decimal: 7,
  date: 8,
  time: 9,
  timestamp: 10,
  interval: 11,
  list: 12,
  struct: 13,
  union: 14,
  fixedSizeBinary: 15,
  fixedSizeList: 16,
  map: 17,
  duration: 18,
  largeBinary: 19,
  largeUtf8: 20,
  largeList: 21,
  binaryView: 23,
  utf8View: 24,
} as const;

/** Units of an interval. */
export const IntervalUnit = { yearMonth: 0, dayTime: 1, monthDayNano: 2 } as const;

/** The unit of a date in milliseconds; the other one is days. */
export const MILLISECOND_DATE = 1;
