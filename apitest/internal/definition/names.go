package definition

import (
	"fmt"
	"slices"

	utilerrors "k8s.io/apimachinery/pkg/util/errors"
)

// claimed are the names in a group that definitions use.
type claimed struct{ resources, kinds map[string]bool }

// claimedBy collects the accepted names of all definitions of a group.
func claimedBy(all []*Definition, group string) claimed {
	c := claimed{map[string]bool{}, map[string]bool{}}
	for _, d := range all {
		if d.Spec.Group != group {
			continue
		}
		names := d.Status.AcceptedNames
		for _, name := range append([]string{names.Plural, names.Singular}, names.ShortNames...) {
			c.resources[name] = true
		}
		c.kinds[names.Kind], c.kinds[names.ListKind] = true, true
	}
	return c
}

func (n Names) equal(other Names) bool {
	return n.Plural == other.Plural && n.Singular == other.Singular && n.Kind == other.Kind && n.ListKind == other.ListKind &&
		slices.Equal(n.ShortNames, other.ShortNames) && slices.Equal(n.Categories, other.Categories)
}

// AcceptNames accepts the names of the specification that are not used by other
// definitions of the group, sets the conditions, and reports whether anything
// has changed. If there are conflicts, it accepts the other names.
func (d *Definition) AcceptNames(all []*Definition) bool {
	asked, now := d.Spec.Names, d.Status.AcceptedNames
	if asked.equal(now) && d.Condition("NamesAccepted") != nil {
		return false
	}
	taken := claimedBy(all, d.Spec.Group)
	verdict := Condition{Type: "NamesAccepted", Status: "True", Reason: "NoConflicts", Message: "no conflicts found"}
	refuse := func(reason string, err error) {
		verdict.Status, verdict.Reason, verdict.Message = "False", reason, err.Error()
	}
	claim := func(name string, held *string, taken map[string]bool, reason string) {
		if err := free(name, *held, taken); err != nil {
			refuse(reason, err)
			return
		}
		*held = name
	}
	claim(asked.Plural, &now.Plural, taken.resources, "PluralConflict")
	claim(asked.Singular, &now.Singular, taken.resources, "SingularConflict")
	if err := freeShortNames(asked.ShortNames, now.ShortNames, taken.resources); err != nil {
		refuse("ShortNamesConflict", err)
	} else {
		now.ShortNames = asked.ShortNames
	}
	claim(asked.Kind, &now.Kind, taken.kinds, "KindConflict")
	claim(asked.ListKind, &now.ListKind, taken.kinds, "ListKindConflict")
	now.Categories = asked.Categories

	news := !now.equal(d.Status.AcceptedNames)
	d.Status.AcceptedNames = now
	if !d.SetCondition(verdict) && !news {
		return false
	}
	switch {
	case d.Is("Established"):
	case verdict.Status == "True":
		d.SetCondition(Condition{Type: "Established", Status: "False", Reason: "Installing", Message: "the initial names have been accepted"})
	case d.Condition("Established") == nil:
		d.SetCondition(Condition{Type: "Established", Status: "False", Reason: "NotAccepted", Message: "not all names are accepted"})
	}
	return true
}

func free(name, held string, taken map[string]bool) error {
	if name == held || !taken[name] {
		return nil
	}
	return fmt.Errorf("%q is already in use", name)
}

func freeShortNames(asked, held []string, taken map[string]bool) error {
	var errs []error
	for _, name := range asked {
		if !slices.Contains(held, name) {
			errs = append(errs, free(name, "", taken))
		}
	}
	if aggregate := utilerrors.NewAggregate(errs); aggregate != nil {
		return aggregate
	}
	return nil
}
