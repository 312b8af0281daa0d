package listwatch

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
)

// Checker is implemented by a source that can detect mistakes that make every
// list and watch fail, however often they are repeated. A [rest.View] and a
// [ListWatch] are Checkers.
type Checker interface {
	// Check returns an error that describes such a mistake and how to correct
	// it, or nil. It sends no request.
	Check() error
}

var _ Checker = (*ListWatch[int])(nil)

// Check calls the Check method of source if it has one, and returns nil
// otherwise. If the method panics, Check returns nil.
func Check(source any) (err error) {
	checker, ok := source.(Checker)
	if !ok {
		return nil
	}
	defer func() {
		if recover() != nil {
			err = nil
		}
	}()
	return checker.Check()
}

// Check returns the error of the wrapped source's Check, or an error if the
// options that [Modify] produces have a selector that does not parse.
func (lw *ListWatch[T]) Check() error {
	if err := Check(lw.source); err != nil {
		return err
	}
	if lw.err != nil || lw.modify == nil {
		return lw.err
	}
	var opts metav1.ListOptions
	lw.modify(&opts)
	return checkSelectors(opts)
}

// checkSelectors returns an error if a selector does not parse, so that no
// server could accept it.
func checkSelectors(opts metav1.ListOptions) error {
	if _, err := labels.Parse(opts.LabelSelector); err != nil {
		return fmt.Errorf("%w: LabelSelector %q: %w: correct it where the list options are set", ErrSelector, opts.LabelSelector, err)
	}
	if _, err := fields.ParseSelector(opts.FieldSelector); err != nil {
		return fmt.Errorf("%w: FieldSelector %q: %w: correct it where the list options are set", ErrSelector, opts.FieldSelector, err)
	}
	return nil
}
