// Package column is what a CustomResourceDefinition says of the table in which
// people want to see its objects: additionalPrinterColumns.
//
//	the definition's column ──► Cell() ──► a function: object ──► what is printed, or nil
//
// A column has a path, which is read once, and a type, which decides what of the
// value there is shown: what is of another type is not. The paths are the simple
// ones that columns use, such as .spec.ports[0].name and
// .status.conditions[?(@.type=="Ready")].status. What the real server's JSONPath
// has besides, ranges and unions among it, leads to an empty cell.
package column
