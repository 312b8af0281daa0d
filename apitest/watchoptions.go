package apitest

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// start is where a watch begins.
type start int

const (
	// fromVersion sends the changes after a version.
	fromVersion start = iota
	// fromNow sends the changes from now on.
	fromNow
	// fromState sends the present state first, as ADDED events.
	fromState
)

// watchOptions is what the parameters of a watch ask for.
type watchOptions struct {
	start start
	// version after which changes are sent, or, with fromState, that the state
	// has to have reached; 0 is any.
	version uint64
	// bookmarks are sent now and then. With endMark, there is one after the
	// initial state that says so.
	bookmarks, endMark bool
	timeout            time.Duration
}

// parseWatch reads the parameters of a watch. The deprecated paths have the
// word watch in them instead of among the parameters: to those who validate,
// they are lists.
func parseWatch(query url.Values) (watchOptions, error) {
	asked := metav1.ListOptions{
		Watch:                isSet(query, "watch"),
		ResourceVersion:      query.Get("resourceVersion"),
		ResourceVersionMatch: metav1.ResourceVersionMatch(query.Get("resourceVersionMatch")),
		Continue:             query.Get("continue"),
		AllowWatchBookmarks:  isSet(query, "allowWatchBookmarks"),
	}
	if query.Has("sendInitialEvents") {
		send := isSet(query, "sendInitialEvents")
		asked.SendInitialEvents = &send
	}
	timeout, err := parseTimeout(query)
	if err != nil {
		return watchOptions{}, err
	}
	present := asked.ResourceVersion == "" || asked.ResourceVersion == "0"
	if asked.Watch && present && asked.SendInitialEvents == nil && asked.ResourceVersionMatch == "" {
		asked.SendInitialEvents, asked.ResourceVersionMatch = new(true), metav1.ResourceVersionMatchNotOlderThan
	}
	validate := validateList
	if asked.Watch {
		validate = validateWatch
	}
	if complaints := validate(&asked); len(complaints) > 0 {
		return watchOptions{}, apierrors.NewInvalid(schema.GroupKind{Group: metav1.GroupName, Kind: "ListOptions"}, "", complaints)
	}
	options := watchOptions{bookmarks: asked.AllowWatchBookmarks, timeout: timeout}
	if options.version, err = parseVersion(asked.ResourceVersion); err != nil {
		return watchOptions{}, err
	}
	switch {
	case asked.SendInitialEvents != nil && *asked.SendInitialEvents:
		options.start, options.endMark = fromState, asked.AllowWatchBookmarks
	case options.version > 0:
		options.start = fromVersion
	case asked.SendInitialEvents != nil:
		options.start = fromNow
	default:
		options.start = fromState
	}
	return options, nil
}

// validateWatch is what is wrong with the options of a watch.
func validateWatch(asked *metav1.ListOptions) (complaints field.ErrorList) {
	path, match := field.NewPath("resourceVersionMatch"), asked.ResourceVersionMatch
	if asked.SendInitialEvents != nil && match != metav1.ResourceVersionMatchNotOlderThan {
		complaints = append(complaints, field.Forbidden(path, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"))
	}
	if match == "" {
		return complaints
	}
	if asked.SendInitialEvents == nil {
		complaints = append(complaints, field.Forbidden(path, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"))
	}
	if match != metav1.ResourceVersionMatchNotOlderThan {
		complaints = append(complaints, field.NotSupported(path, match, []string{string(metav1.ResourceVersionMatchNotOlderThan)}))
	}
	if asked.Continue != "" {
		complaints = append(complaints, field.Forbidden(path, "resourceVersionMatch is forbidden when continue is provided"))
	}
	return complaints
}

// validateList is what is wrong with the options of a list.
func validateList(asked *metav1.ListOptions) (complaints field.ErrorList) {
	path, match := field.NewPath("resourceVersionMatch"), asked.ResourceVersionMatch
	if match != "" {
		if asked.ResourceVersion == "" {
			complaints = append(complaints, field.Forbidden(path, "resourceVersionMatch is forbidden unless resourceVersion is provided"))
		}
		if asked.Continue != "" {
			complaints = append(complaints, field.Forbidden(path, "resourceVersionMatch is forbidden when continue is provided"))
		}
		if match != metav1.ResourceVersionMatchExact && match != metav1.ResourceVersionMatchNotOlderThan {
			complaints = append(complaints, field.NotSupported(path, match, []string{string(metav1.ResourceVersionMatchExact), string(metav1.ResourceVersionMatchNotOlderThan), ""}))
		}
		if match == metav1.ResourceVersionMatchExact && asked.ResourceVersion == "0" {
			complaints = append(complaints, field.Forbidden(path, `resourceVersionMatch "exact" is forbidden for resourceVersion "0"`))
		}
	}
	if asked.SendInitialEvents != nil {
		complaints = append(complaints, field.Forbidden(field.NewPath("sendInitialEvents"), "sendInitialEvents is forbidden for list"))
	}
	return complaints
}

// parseVersion reads a resource version; "" is 0. What is no version is an
// internal error, of all things, to a kube-apiserver as well.
func parseVersion(text string) (uint64, error) {
	if text == "" {
		return 0, nil
	}
	version, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		complaint := field.Invalid(field.NewPath("resourceVersion"), text, err.Error())
		return 0, &apierrors.StatusError{ErrStatus: metav1.Status{
			Status: metav1.StatusFailure, Message: complaint.Error(), Code: http.StatusInternalServerError,
		}}
	}
	return version, nil
}

// parseTimeout is how long a watch lasts: by itself it is between half an hour
// and a whole one, so that those who began together do not return together.
func parseTimeout(query url.Values) (time.Duration, error) {
	const least = 30 * time.Minute
	seconds, err := parseNumber(query, "timeoutSeconds")
	if err != nil {
		return 0, err
	}
	if seconds == 0 {
		return least + rand.N(least), nil
	}
	const most = int64(1<<63-1) / int64(time.Second)
	return time.Duration(min(seconds, most)) * time.Second, nil
}

// isSet is whether a parameter says yes. All but its absence, 0 and false do.
func isSet(query url.Values, name string) bool {
	values := query[name]
	return len(values) > 0 && values[0] != "0" && !strings.EqualFold(values[0], "false")
}

// expired is the answer to those who watch from versions that were forgotten. Of
// events the real server keeps no cache: it is etcd that says so.
func expired(e tooOld, of *resource) *apierrors.StatusError {
	if of.GroupVersionResource.Resource == "events" {
		return apierrors.NewResourceExpired("The resourceVersion for the provided watch is too old.")
	}
	return apierrors.NewResourceExpired(e.Error())
}

// tooLarge is the answer to those who ask for versions of the future.
func tooLarge(e tooNew) *apierrors.StatusError {
	err := apierrors.NewTimeoutError(fmt.Sprintf("Too large resource version: %d, current: %d", e.asked, e.newest), 1)
	err.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: metav1.CauseTypeResourceVersionTooLarge, Message: "Too large resource version"}}
	return err
}
