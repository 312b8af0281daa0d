package byresource

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Tweak returns a modifier for a ListWatch of package cache that calls the tweak of a
// factory as client-go's factories do: before the options say that they are those of a
// watch.
func Tweak(tweak func(*metav1.ListOptions)) func(*metav1.ListOptions) {
	if tweak == nil {
		return nil
	}
	return func(options *metav1.ListOptions) {
		options.Watch = false // package cache sets it again
		tweak(options)
	}
}
