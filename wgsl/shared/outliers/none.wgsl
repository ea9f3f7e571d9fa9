// For keys of which nothing is expected.

#import key

fn note_outlier(ordered: Key) {
}

fn note_missed() {
}

fn report_outliers() {
}
