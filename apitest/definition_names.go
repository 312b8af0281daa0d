package apitest

import (
	"fmt"
	"slices"

	utilerrors "k8s.io/apimachinery/pkg/util/errors"
)

// claimed are the names in a group that definitions hold already.
type claimed struct{ resources, kinds map[string]bool }

// claimedBy collects the accepted names of all definitions of a group, those of
// the one that asks included.
func claimedBy(all []*definition, group string) claimed {
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

func (n definitionNames) equal(other definitionNames) bool {
	return n.Plural == other.Plural && n.Singular == other.Singular && n.Kind == other.Kind && n.ListKind == other.ListKind &&
		slices.Equal(n.ShortNames, other.ShortNames) && slices.Equal(n.Categories, other.Categories)
}

// claimNames accepts the names that the specification asks for and nobody else
// in the group has, says in the conditions what came of it, and reports whether
// that is any news. As much as can be accepted is.
func (d *definition) claimNames(all []*definition) bool {
	asked, now := d.Spec.Names, d.Status.AcceptedNames
	if asked.equal(now) && d.condition("NamesAccepted") != nil {
		return false
	}
	taken := claimedBy(all, d.Spec.Group)
	verdict := definitionCondition{Type: "NamesAccepted", Status: "True", Reason: "NoConflicts", Message: "no conflicts found"}
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
	if !d.setCondition(verdict) && !news {
		return false
	}
	switch {
	case d.is("Established"):
	case verdict.Status == "True":
		d.setCondition(definitionCondition{Type: "Established", Status: "False", Reason: "Installing", Message: "the initial names have been accepted"})
	case d.condition("Established") == nil:
		d.setCondition(definitionCondition{Type: "Established", Status: "False", Reason: "NotAccepted", Message: "not all names are accepted"})
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
