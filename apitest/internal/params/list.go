package params

import (
	"net/url"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// ListOptions are the parameters of a list.
type ListOptions struct {
	// Version of the list; 0 is the newest. AtLeast is the version that the newest
	// must have reached.
	Version, AtLeast uint64
	// Limit of the objects; 0 is unlimited.
	Limit int
	// Next is the position to continue at; nil is the beginning.
	Next *Continuation
}

// ParseList parses the parameters of a list.
func ParseList(query url.Values) (o ListOptions, err error) {
	asked := metav1.ListOptions{
		ResourceVersion:      query.Get("resourceVersion"),
		ResourceVersionMatch: metav1.ResourceVersionMatch(query.Get("resourceVersionMatch")),
		Continue:             query.Get("continue"),
	}
	if query.Has("sendInitialEvents") {
		asked.SendInitialEvents = new(isSet(query, "sendInitialEvents"))
	}
	if _, err = parseNumber(query, "timeoutSeconds"); err != nil {
		return o, err
	}
	limit, err := parseNumber(query, "limit")
	if err != nil {
		return o, err
	}
	if complaints := validateList(&asked); len(complaints) > 0 {
		return o, apierrors.NewInvalid(schema.GroupKind{Group: metav1.GroupName, Kind: "ListOptions"}, "", complaints)
	}
	if limit > 0 {
		o.Limit = int(min(limit, 1<<30))
	}
	if asked.Continue != "" {
		return o, o.continueList(asked)
	}
	version, err := ParseVersion(asked.ResourceVersion)
	if err != nil {
		return o, apierrors.NewBadRequest("invalid resource version: " + err.Error())
	}
	switch {
	case asked.ResourceVersionMatch == metav1.ResourceVersionMatchExact,
		asked.ResourceVersionMatch == "" && o.Limit > 0 && version > 0:
		o.Version = version
	case asked.ResourceVersion == "0":
		o.Limit = 0 // any version is allowed: the real server responds from its cache, without pages
	default:
		o.AtLeast = version
	}
	return o, nil
}

// continueList continues a list after its last page.
func (o *ListOptions) continueList(asked metav1.ListOptions) error {
	next, err := ParseContinue(asked.Continue)
	if err != nil {
		return apierrors.NewBadRequest("invalid continue token: " + err.Error())
	}
	if asked.ResourceVersion != "" && asked.ResourceVersion != "0" {
		return apierrors.NewBadRequest("specifying resource version is not allowed when using continue")
	}
	o.Next, o.Version = &next, uint64(max(next.Version, 0))
	if asked.ResourceVersion == "0" {
		o.Limit = 0
	}
	return nil
}

func parseNumber(query url.Values, name string) (int64, error) {
	if !query.Has(name) {
		return 0, nil
	}
	number, err := strconv.ParseInt(query.Get(name), 10, 64)
	if err != nil {
		return 0, apierrors.NewBadRequest(err.Error())
	}
	return number, nil
}

// ExpiredError returns the error for a list at an expired version. A continued
// list gets a token to continue at the newest version.
func (o *ListOptions) ExpiredError() error {
	if o.Next == nil {
		return apierrors.NewResourceExpired("The resourceVersion for the provided list is too old.")
	}
	const advice = "The provided continue parameter is too old to display a consistent list result. " +
		"You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. " +
		"Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted " +
		"between the time the first chunk was returned and now may show up in the list."
	err := apierrors.NewResourceExpired(advice)
	err.ErrStatus.Continue = Continuation{Version: -1, Start: o.Next.Start}.String()
	return err
}
