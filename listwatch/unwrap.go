package listwatch

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Unwrap removes all layers of Modify and Select from source. It returns any
// other source unchanged. Listing it with the options that [ModifiedOptions]
// returns is the same as listing source. A caller can add a selector to these
// options, and no modification removes that selector.
//
// Unwrap ignores functions that were set on the result of Modify afterwards.
func Unwrap[T any](source ListerWatcher[T]) ListerWatcher[T] {
	for {
		lw, ok := source.(*ListWatch[T])
		if !ok || lw == nil || lw.source == nil {
			return source
		}
		source = lw.source
	}
}

// ModifiedOptions returns opts after all modifications of source, the outermost
// first.
func ModifiedOptions[T any](source ListerWatcher[T], opts metav1.ListOptions) metav1.ListOptions {
	for {
		lw, ok := source.(*ListWatch[T])
		if !ok || lw == nil || lw.source == nil {
			return opts
		}
		if lw.modify != nil {
			lw.modify(&opts)
		}
		source = lw.source
	}
}
