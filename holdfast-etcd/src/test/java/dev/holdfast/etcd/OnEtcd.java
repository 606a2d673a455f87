package dev.holdfast.etcd;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Needs the programs of etcd, which ./verify sets up; it says so where it cannot. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@EnabledIfSystemProperty(named = "holdfast.etcd", matches = ".+")
@interface OnEtcd {}
