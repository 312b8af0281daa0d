// Package program loads the packages of the user's module: their files, their types, and the
// types of the packages that they import, which are read from the compiler's export data.
//
// [Load] reads; it writes nothing. A [Program] can be type-checked again with other texts of
// its files and with other packages behind their imports, which is how the tool verifies
// what it proposes.
package program
