package informer

import (
	"context"
	"errors"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/thinformer/thinformer/internal/attempt"
	"github.com/thinformer/thinformer/internal/resourceversion"
	"github.com/thinformer/thinformer/listwatch"
)

// Host returns the server of the source, in the form of [rest.View.Host], or "" if
// the source does not provide it.
func (i *SharedInformer[T]) Host() string {
	if i.shared.err != nil {
		return ""
	}
	base := listwatch.Unwrap(i.shared.source)
	if h, ok := base.(listwatch.Hosted); ok && (isRestSource(base) || !mayBePromoted[listwatch.Hosted](base)) {
		return h.Host()
	}
	return ""
}

// Excludes reports whether the selectors of the informer exclude every object
// with this name and these labels. It returns false if that is not certain: nil
// labels mean unknown labels, and in a field selector only the name and the
// namespace are considered.
func (i *SharedInformer[T]) Excludes(namespace, name string, objectLabels map[string]string) bool {
	if i.shared.err != nil {
		return false
	}
	opts, err := i.shared.listOptions()
	if err != nil {
		return false
	}
	return excludedByLabels(opts.LabelSelector, objectLabels) || excludedByName(opts.FieldSelector, namespace, name)
}

func excludedByLabels(selector string, objectLabels map[string]string) bool {
	if selector == "" || objectLabels == nil {
		return false
	}
	parsed, err := labels.Parse(selector)
	return err == nil && !parsed.Matches(labels.Set(objectLabels))
}

func excludedByName(selector, namespace, name string) bool {
	if selector == "" {
		return false
	}
	parsed, err := fields.ParseSelector(selector)
	if err != nil {
		return false
	}
	for _, r := range parsed.Requirements() {
		value := name
		switch r.Field {
		case "metadata.name":
		case "metadata.namespace":
			value = namespace
		default:
			continue
		}
		if negated := strings.HasPrefix(string(r.Operator), "!"); (value == r.Value) == negated {
			return true
		}
	}
	return false
}

// ListedByServer asks the server whether a list of the informer's source contains
// the object with this name: a list in the source's namespace, with the selectors of
// the source and of TweakListOptions, at version or later. It sends one request and
// does not read the store.
//
// Possible errors: ErrQueryUnsupported, the error of the list, and errors in the arguments
// of New.
func (i *SharedInformer[T]) ListedByServer(ctx context.Context, namespace, name, version string) (bool, error) {
	if i.shared.err != nil {
		return false, i.shared.err
	}
	source, err := i.shared.feeds.sourceIn(namespace)
	if err != nil {
		return false, err
	}
	base := listwatch.Unwrap(source)
	if !isRestSource(base) {
		return false, fmt.Errorf("%w: it is a %T", ErrQueryUnsupported, base)
	}
	opts, err := i.shared.listOptions()
	if err != nil {
		return false, err
	}
	byName := fields.OneTermEqualSelector("metadata.name", name).String()
	if opts.FieldSelector != "" {
		byName = opts.FieldSelector + "," + byName
	}
	list, err := base.List(attempt.Once(ctx), metav1.ListOptions{
		LabelSelector: opts.LabelSelector, FieldSelector: byName,
		ResourceVersion: version, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan,
	})
	if err != nil {
		return false, err
	}
	defer list.Close()
	found, err := contains(list, namespace, name)
	if err == nil && !found && resourceversion.IsOlder(list.ResourceVersion(), version) {
		err = fmt.Errorf("the server was asked for version %s or later, and returned version %s", version, list.ResourceVersion())
	}
	return found, err
}

func contains[T any](list *listwatch.List[T], namespace, name string) (found bool, err error) {
	for obj, err := range list.Items() {
		broken := (*listwatch.ItemError)(nil)
		switch {
		case errors.Is(err, listwatch.ErrRestarted):
			found = false
		case errors.As(err, &broken):
			found = found || broken.Namespace == namespace && broken.Name == name
		case err != nil:
			return false, err
		default:
			named, ok := any(obj).(interface {
				GetNamespace() string
				GetName() string
			})
			found = found || ok && named.GetNamespace() == namespace && named.GetName() == name
		}
	}
	return found, nil
}

// listOptions returns the list options after all modifications of the source. The
// error is a panic of one of these functions, which belong to the user.
func (s *shared[T]) listOptions() (opts metav1.ListOptions, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("informer %s: TweakListOptions or a modification of the source panicked: %v", s.name, p)
		}
	}()
	return listwatch.ModifiedOptions(s.source, metav1.ListOptions{}), nil
}
